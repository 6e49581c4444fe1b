#include "libcore/deploy/mixed.h"

#include <algorithm>
#include <map>
#include <set>

#include "libcore/base/few.h"
#include "libcore/base/text.h"
#include "libcore/deploy/compile_cache.h"
#include "libcore/exec/choose.h"
#include "libcore/exec/meaning.h"
#include "libcore/exec/program.h"
#include "libcore/graph/device.h"
#include "libcore/graph/summary.h"
#include "libcore/kernels/context_isa.h"
#include "libcore/kernels/isa.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/passes/pipelines.h"
#include "libcore/place/partitioning.h"
#include "libcore/place/target_file.h"

namespace quern {
namespace {

constexpr const char* cpu_name = "cpu";
constexpr const char* ref_name = "ref";

// The back end of a device in the target, "" if it has none or is not there.
std::string backend_in(const place::Target& target, const std::string& device) {
    const place::Device* found = place::find_device(target, device);
    return found ? found->backend : std::string();
}

}  // namespace

static void check_ports(const Graph& graph, const std::string& name, const std::vector<Port>& ports, const std::vector<ValueId>& values) {
    bool same = ports.size() == values.size();
    for (size_t i = 0; same && i < ports.size(); ++i) same = ports[i].name == graph.value(values[i]).name;
    if (!same) throw unsupported("back end \"{}\": its executable has other inputs or outputs than the partition", escape(name));
}

std::string part_label(size_t number, const std::string& first, const std::string& last) {
    return fmt::format("partition {} '{}{}'", number, escape(first), first == last ? "" : ".." + escape(last));
}

bool is_placed(const Graph& graph) {
    return std::any_of(graph.order().begin(), graph.order().end(), [&](NodeId id) {
        const std::string& device = graph.node(id).device;
        return !device.empty() && device != cpu_name;
    });
}

class MixedCompiler {
   public:
    MixedCompiler(const Graph& graph, const MixedOptions& options) : options_(options) {
        program_->mode_ = options.compile.mode;
        program_->isa_ = options.isa.empty() ? context_isa() : options.isa;
        program_->graph_ = options.compile.mode == Mode::floating ? as_encoded(graph) : as_folded(graph);
        if (!options_.compile.profile && options.compile.mode != Mode::floating) options_.compile.profile = own_profile(graph);
        if (options_.compile.profile) program_->graph_.metadata[profile_key] = options_.compile.profile->name;
    }

    std::shared_ptr<const MixedProgram> run() {
        place_nodes();
        join_units();
        const auto parts = place::partition(graph(), own_target());
        std::vector<Bytes> blobs;
        blobs.reserve(parts.size());
        for (const place::Partition& part : parts) blobs.push_back(compile_part(part));
        for (size_t i = 0; i < parts.size(); ++i) load_part(parts[i], std::move(blobs[i]));
        program_->find_levels();
        say_unused_options();
        return program_;
    }

   private:
    Graph& graph() { return program_->graph_; }

    // ---- which device ----

    void place_nodes() {
        if (!options_.backends.empty()) {
            assign(options_.backends, true);
            return;
        }
        if (!options_.preferred.empty()) {
            std::vector<std::string> names = options_.preferred;
            if (std::find(names.begin(), names.end(), cpu_name) == names.end()) names.push_back(cpu_name);
            assign(names, false);
        }
        place_recodes(graph());
        for (const NodeId id : graph().order())
            if (graph().node(id).device.empty()) graph().node(id).device = cpu_name;
        check_support();
    }

    // Nodes (all, or those without device) go to the first of `names` that runs them.
    void assign(const std::vector<std::string>& names, bool all) {
        std::vector<std::vector<std::optional<std::string>>> refusals;
        refusals.reserve(names.size());
        for (const std::string& name : names) refusals.push_back(backend(name).refusals(graph(), options_.compile));
        const std::vector<NodeId> order = graph().order();
        for (size_t i = 0; i < order.size(); ++i) {
            Node& node = graph().node(order[i]);
            if (!all && !node.device.empty()) continue;
            const auto taker = std::find_if(refusals.begin(), refusals.end(), [&](const auto& list) { return !list[i]; });
            if (taker == refusals.end())
                throw unsupported("{}: {} does not run it: {}", described(node), names.front(), *refusals.front()[i])
                    .with_hint("another back end can stand behind it: --backend \"" + names.front() + ";cpu\"");
            node.device = own_device(names[static_cast<size_t>(taker - refusals.begin())]);
        }
    }

    // What a node says that is put on a back end: that one's own name. The user may give a path, which is none.
    std::string own_device(const std::string& name) {
        std::string device = backend(name).name();
        for (int number = 2; names_.try_emplace(device, name).first->second != name; ++number)
            device = fmt::format("{}-{}", backend(name).name(), number);
        return device;
    }

    // A node on a device whose back end does not run it is refused before anything is compiled, or goes to cpu where that is asked for.
    void check_support() {
        std::set<std::string> devices;
        for (const NodeId id : graph().order()) devices.insert(graph().node(id).device);
        for (const std::string& device : devices) {
            Backend& own = backend_of(device);
            if (own.path().empty()) continue;  // the built-in ones say so when they compile
            const auto refusals = own.refusals(graph(), options_.compile);
            for (size_t i = 0; i < refusals.size(); ++i) {
                Node& node = graph().node(graph().order()[i]);
                if (!refusals[i] || node.device != device) continue;
                const std::string why =
                    fmt::format("{} is placed on {}, which does not run it: {}", described(node), escape(device), *refusals[i]);
                if (!options_.fall_back)
                    throw unsupported("{}", why).with_hint(
                        "place asks the library where it is installed; run --fallback cpu runs it there");
                node.device = cpu_name;
                fallen_back_.emplace(&node, why);
            }
        }
        say_fallbacks();
    }

    void say_fallbacks() {
        std::vector<std::string> reasons;
        for (const NodeId id : graph().order())
            if (const auto found = fallen_back_.find(&graph().node(id)); found != fallen_back_.end()) reasons.push_back(found->second);
        if (!reasons.empty()) options_.note(fmt::format("{} nodes run on cpu instead: {}", reasons.size(), join(few_of(reasons), "; ")));
    }

    // Of a step: the one of its first node, unless a back end refused another.
    std::string device_of(const Group& group) const {
        const bool fell = std::ranges::any_of(group.nodes, [&](const Node* node) { return fallen_back_.contains(node); });
        return fell ? cpu_name : group.nodes[0]->device;
    }

    // What one device would compute in one step stays on one device.
    void join_units() {
        if (options_.compile.mode != Mode::integer) return;
        CompileOptions plain = options_.compile;
        plain.reference = true;
        std::map<const Node*, NodeId> ids;
        for (const NodeId id : graph().order()) ids[&graph().node(id)] = id;
        size_t moved = 0;
        for (const Group& group : choose_kernels(graph(), plain)) {
            const std::string device = device_of(group);
            for (const Node* node : group.nodes) {
                Node& own = graph().node(ids.at(node));
                moved += own.device != device;
                own.device = device;
            }
        }
        if (moved > 0) options_.note(fmt::format("{} nodes run on the device of the product that they belong to", moved));
    }

    // A target with the devices that the graph names, and the memory of those that it was placed on, for which partitions are split.
    place::Target own_target() {
        place::Target target;
        const std::optional<place::Target> placed = placed_target();
        if (placed) target.memories = placed->memories;
        std::set<std::string> names{cpu_name};
        for (const NodeId id : graph().order()) names.insert(graph().node(id).device);
        for (const std::string& name : names) {
            place::Device device;
            device.name = name;
            if (const place::Device* known = placed ? place::find_device(*placed, name) : nullptr) {
                device.memory = known->memory;
                device.weights = known->weights;
            }
            target.devices.push_back(std::move(device));
        }
        return target;
    }

    // The target that was asked for, or the shipped one that the model was placed on.
    std::optional<place::Target> placed_target() const {
        if (!options_.backends.empty()) return std::nullopt;
        if (!options_.target.empty()) return place::load_target(options_.target);
        const auto placed = program_->graph_.metadata.find(std::string(place::placed_on_key));
        const std::vector<std::string> shipped = place::target_names();
        if (placed == program_->graph_.metadata.end() || std::find(shipped.begin(), shipped.end(), placed->second) == shipped.end())
            return std::nullopt;
        return place::load_target(placed->second);
    }

    // ---- which back end ----

    Backend& backend(const std::string& name) {
        auto& slot = backends_[name];
        if (!slot) {
            const bool library = name != cpu_name && name != ref_name;
            slot = Backend::open(name, library ? options_.backend_options : std::string());
        }
        return *slot;
    }

    Backend& backend_of(const std::string& device) {
        auto& name = names_[device];
        if (name.empty()) name = backend_name(device);
        return backend(name);
    }

    // Devices are of files: names, which are looked up where back ends are installed, never paths.
    std::string backend_name(const std::string& device) {
        if (!is_device_name(device)) throw bad_input("device \"{}\": {}", escape(device), device_name_rule);
        if (device == cpu_name || device == ref_name) return device;
        if (!options_.target.empty()) {
            const place::Target target = place::load_target(options_.target);
            if (!place::find_device(target, device)) throw unsupported("target \"{}\" has no device \"{}\"", target.name, escape(device));
            if (std::string name = backend_in(target, device); !name.empty()) return name;
        } else {
            if (Backend::installed(device)) return device;
            for (const std::string& target : likely_targets())
                if (std::string name = backend_in(place::load_target(target), device); !name.empty()) return name;
        }
        options_.note(fmt::format("device \"{}\" has no back end: simulated on ref", escape(device)));
        return ref_name;
    }

    // The shipped target that the model was placed on; if it says none, all of them. A file that a model names is not read.
    std::vector<std::string> likely_targets() {
        std::vector<std::string> shipped = place::target_names();
        const auto placed = graph().metadata.find(std::string(place::placed_on_key));
        if (placed == graph().metadata.end()) return shipped;
        if (std::find(shipped.begin(), shipped.end(), placed->second) != shipped.end()) return {placed->second};
        options_.note(fmt::format("placed on target \"{}\", which does not ship: --target names its file", escape(placed->second)));
        return {};
    }

    void say_unused_options() const {
        const auto takes = [](const auto& item) { return item.second && !item.second->path().empty(); };
        if (!options_.backend_options.empty() && std::none_of(backends_.begin(), backends_.end(), takes))
            options_.note(backend_options_unused(options_.backend_options));
    }

    // ---- parts ----

    Bytes compile_part(const place::Partition& part) {
        Backend& own = backend_of(part.device);
        const Graph partition = place::extract_partition(graph(), part);
        return compile_cached(own, partition, {options_.compile, options_.isa}, options_.cache);
    }

    std::string label_of(const place::Partition& part) {
        const std::string &first = graph().node(part.nodes.front()).name, &last = graph().node(part.nodes.back()).name;
        return part_label(program_->parts_.size(), first, last);
    }

    void load_part(const place::Partition& part, Bytes blob) {
        Backend& own = backend_of(part.device);
        MixedPart out;
        out.device = part.device;
        out.backend = own.name();
        out.version = own.version();
        out.options = own.options();
        out.nodes = part.nodes;
        out.inputs = part.inputs;
        out.outputs = part.outputs;
        out.blob = blob;
        if (options_.isa.empty()) {
            const std::string label = label_of(part);
            out.executable = own.load(std::move(blob), label);
            check_ports(graph(), own.name(), out.executable->inputs(), out.inputs);
            check_ports(graph(), own.name(), out.executable->outputs(), out.outputs);
            if (options_.verify && own.name() != ref_name)
                out.executable = verified(out.executable, on_reference(part), *options_.verify,
                                          fmt::format("back end \"{}\": {}", escape(own.name()), label));
        }
        program_->parts_.push_back(std::move(out));
    }

    std::shared_ptr<Executable> on_reference(const place::Partition& part) {
        CompileOptions plain = options_.compile;
        plain.reference = true;
        plain.check_codes = false;
        Backend& ref = backend(ref_name);
        return ref.load(ref.compile(place::extract_partition(graph(), part), plain));
    }

    MixedOptions options_;
    std::shared_ptr<MixedProgram> program_ = std::make_shared<MixedProgram>();
    std::map<std::string, std::shared_ptr<Backend>> backends_;  // by their names
    std::map<std::string, std::string> names_;                  // of back ends, by device
    std::map<const Node*, std::string> fallen_back_;            // to cpu, and why
};

std::shared_ptr<const MixedProgram> MixedProgram::compile(const Graph& graph, const MixedOptions& options) {
    return MixedCompiler(graph, options).run();
}

std::shared_ptr<const MixedProgram> MixedProgram::restore(Graph graph, Mode mode, std::vector<MixedPart> parts,
                                                          std::future<void> preparation) {
    const auto program = std::make_shared<MixedProgram>();
    program->graph_ = std::move(graph);
    program->mode_ = mode;
    program->isa_ = context_isa();
    program->parts_ = std::move(parts);
    program->preparation_ = std::move(preparation);
    for (const MixedPart& part : program->parts_) {
        check_ports(program->graph_, part.backend, part.executable->inputs(), part.inputs);
        check_ports(program->graph_, part.backend, part.executable->outputs(), part.outputs);
    }
    program->find_levels();
    return program;
}

void MixedProgram::find_levels() {
    std::map<ValueId, size_t> made;  // after how many levels
    for (size_t p = 0; p < parts_.size(); ++p) {
        size_t level = 0;
        for (const ValueId id : parts_[p].inputs)
            if (const auto found = made.find(id); found != made.end()) level = std::max(level, found->second);
        for (const ValueId id : parts_[p].outputs) made[id] = level + 1;
        if (levels_.size() <= level) levels_.resize(level + 1);
        levels_[level].parts.push_back(p);
    }
    std::set<ValueId> alive(graph_.outputs.begin(), graph_.outputs.end());
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
        for (const size_t p : level->parts)
            for (const auto* list : {&parts_[p].outputs, &parts_[p].inputs})
                for (const ValueId id : *list)
                    if (alive.insert(id).second) level->dies.push_back(id);
}

std::unique_ptr<MixedSession> MixedProgram::open(const LaneOptions& options) const {
    need_isa(isa_);
    return std::make_unique<MixedSession>(shared_from_this(), mode_, options);
}

std::vector<Choice> MixedProgram::choices() const {
    std::vector<Choice> all;
    for (const MixedPart& part : parts_) {
        std::vector<Choice> own = part.executable->choices();
        if (own.empty())
            for (const NodeId id : part.nodes)
                own.push_back({graph_.node(id).name, std::string(graph_.node(id).op->name), part.backend, {}, {}, {}});
        for (Choice& choice : own) {
            choice.device = part.device;
            all.push_back(std::move(choice));
        }
    }
    return all;
}

}  // namespace quern
