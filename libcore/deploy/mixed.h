// Mixed runs: a placed graph computed partition by partition, each on the back end of its device.
//
// In the reference and in integer runs the result is, bit for bit, that of the whole graph on one device: encoded values cross from one
// partition to the next as codes, and integer units are never cut.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libcore/backend/client.h"
#include "libcore/deploy/verified.h"
#include "libcore/place/partition.h"

namespace quern {

struct MixedOptions {
    CompileOptions compile;
    std::vector<std::string> backends;   // every node goes to the first of these that runs it, whatever its device is
    std::vector<std::string> preferred;  // the same for nodes without device; cpu takes what none of them runs
    bool fall_back = false;              // what a node's back end refuses runs on cpu, which is noted; else it is an error
    std::string backend_options;         // JSON for back ends that are libraries
    std::string isa;                     // of another machine, one of context_isas: compiled, not loaded
    std::string target;                  // whose devices name their back ends; "": those of the shipped targets
    std::optional<Verification> verify;  // each part is run on ref, too
    std::string cache;                   // folder where compiled partitions are kept, by the digest of what they are made of; "": none
    std::function<void(const std::string&)> note = [](const std::string&) {};  // what the user should know
};

// Does a node name a device other than cpu?
bool is_placed(const Graph& graph);

// A partition, compiled and loaded.
struct MixedPart {
    std::string device, backend, version, options;  // version: of the back end; options: as it was opened with
    std::vector<NodeId> nodes;
    std::vector<ValueId> inputs, outputs;
    std::shared_ptr<Executable> executable;
    Bytes blob;
};

// Parts that do not read each other's results, so that they may run side by side.
struct MixedLevel {
    std::vector<size_t> parts;
    std::vector<ValueId> dies;  // values that no later level reads
};

// "partition 2 'conv1..relu3'", numbered as place does.
std::string part_label(size_t number, const std::string& first, const std::string& last);

class MixedSession;

// Immutable, shared by sessions.
class MixedProgram : public std::enable_shared_from_this<MixedProgram> {
   public:
    // A device is the back end of its name, or the one that its target names; one that has none is simulated on ref, which is noted.
    // Throws Exit::unsupported if a back end is missing or broken, refuses a node that was placed on it, or does not compile its part.
    static std::shared_ptr<const MixedProgram> compile(const Graph& graph, const MixedOptions& options);

    // A program of parts that are loaded already; `graph` has their values. `preparation` may go on while the program runs: results wait
    // for it, and what it throws is thrown there.
    static std::shared_ptr<const MixedProgram> restore(Graph graph, Mode mode, std::vector<MixedPart> parts,
                                                       std::future<void> preparation = {});

    std::unique_ptr<MixedSession> open(const LaneOptions& options) const;
    std::vector<Choice> choices() const;  // of a back end that does not explain itself: its nodes with its name
    const std::vector<MixedPart>& parts() const { return parts_; }
    const std::vector<MixedLevel>& levels() const { return levels_; }  // one after the other
    const Graph& graph() const { return graph_; }
    Mode mode() const { return mode_; }
    // What its built-in parts are compiled for (context_isas). Those for another machine than this one can be written, but not opened.
    const std::string& isa() const { return isa_; }

   private:
    friend class MixedCompiler;
    friend class MixedSession;
    void find_levels();
    Graph graph_;
    Mode mode_ = Mode::floating;
    std::string isa_;
    std::vector<MixedPart> parts_;
    std::vector<MixedLevel> levels_;
    std::shared_future<void> preparation_;
};

class MixedSession {
   public:
    MixedSession(std::shared_ptr<const MixedProgram> program, Mode mode, const LaneOptions& options);

    // As Session::run. Parts of a level run side by side: those of libraries always, built-in ones as far as there are threads.
    std::vector<Tensor> run(std::span<const Tensor> inputs);
    void set_timing(bool on);
    std::vector<StepTime> step_times() const;
    uint64_t arena_bytes() const;

   private:
    using Held = std::map<ValueId, Stored>;
    void link_parts();
    void run_level(const MixedLevel& level, Held& held);
    Tensor output(ValueId id, Held& held) const;

    std::shared_ptr<const MixedProgram> program_;
    Mode mode_;
    int threads_;
    std::vector<std::unique_ptr<BackendSession>> sessions_;
};

}  // namespace quern
