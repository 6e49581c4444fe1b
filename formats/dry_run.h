// What a conversion would write, in figures: for `--dry-run`.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/format.h"
#include "libcore/os/outputs.h"

namespace quern {

struct DryRun {
    // Weights of one type: tensors of the GGUF file that the model came from, else constants.
    struct Type {
        std::string name, to = {};                       // to: the one type that they get; "": the format says them in parts
        uint64_t tensors = 0, elements = 0, before = 0;  // bytes
        uint64_t after = 0;                              // of what is written of them
    };
    std::string architecture;  // of a language model
    std::vector<Type> types;   // by bytes, most first
    bool told = false;         // does the format say its graph? Else what follows, but for the files, is not known
    uint64_t beside = 0;       // bytes of constants that are written of no weight: shapes, tables of angles
    std::map<std::string, uint64_t> operators;
    std::vector<DryRunOutputs::Output> files;

    Type total() const;
};

// Bytes of the files that write_model() would write of a model with this graph; nothing if it refuses to.
std::optional<uint64_t> written_bytes(const Graph& graph, std::string_view format, WriteOptions options = {});

// What a reader of the file has, where that computes otherwise than the graph: of Circle with encoded weights alone, whose runtime rounds
// the data, too. nullptr: nowhere.
std::function<Graph(const Graph&)> as_read_again(std::string_view format);

// The weights of a model as it was read.
class WeightLedger {
   public:
    explicit WeightLedger(const Model& model);
    // What write_model() would do with `model`, which the read one has become; nothing is written.
    DryRun dry_run(const Model& model, const std::string& path, std::string_view format, WriteOptions options);

   private:
    struct Entry {
        std::string type;
        uint64_t elements, before, after = 0;
    };
    void count(const Graph& graph, DryRun& to);
    Entry* owner(std::string_view constant);

    std::string architecture_;
    std::map<std::string, Entry, std::less<>> entries_;
};

std::string dry_run_text(const DryRun& plan);
std::string dry_run_json(const DryRun& plan);

}  // namespace quern
