// What programs and sessions are asked for and give: modes and options, the rows that were chosen, tensors at the border, times.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

struct Profile;

enum class Mode : uint8_t {
    floating,  // encodings are ignored: encoded constants are dequantized, activations are float
    fake,      // float arithmetic, each encoded value rounded to its grid
    integer,   // codes end to end, by the model's profile
};

struct CompileOptions {
    Mode mode = Mode::floating;
    bool reference = false;            // reference rows only: no fast kernels, no fusion
    const Profile* profile = nullptr;  // arithmetic of integer runs; nullptr: what the graph's metadata names
    bool check_codes = false;          // integer runs: each step that a kernel or a table computes on codes is computed by its reference,
                                       // too; Exit::bug if a code differs
    bool observable = false;           // every value of the source graph is materialised and can be seen by an observer
};

// Called at each step with a value's key ("node/body/name" inside bodies) and its tensor, which is valid during the call.
using Observer = std::function<void(std::string_view key, const Tensor& tensor)>;

// One line of `run --explain`: which row runs a node and why faster ones refused. `real`: why an operator of an integer run computes on
// real numbers between codes; empty where it does not.
struct Choice {
    std::string node, op, kernel, refusals, real;
    std::string device;  // of a placed model, else ""
};

class Program {
   public:
    static std::shared_ptr<const Program> compile(const Graph& graph, const CompileOptions& options);
    virtual ~Program() = default;
    virtual std::span<const Type> input_types() const = 0;  // logical dtype; shapes may be symbolic
    virtual std::span<const std::string> input_names() const = 0;
    virtual std::span<const std::string> output_names() const = 0;
    virtual std::vector<Choice> choices() const = 0;
};

// A tensor at the border of a run: numbers, or codes with their encoding (a dynamic one with the scale that its run gave it).
struct Stored {
    Tensor tensor;
    std::optional<Encoding> encoding;
};

struct StepTime {
    std::string node, op, kernel;
    double seconds = 0;  // summed over runs
    uint64_t calls = 0;
    std::string device;  // of a placed model, else ""
};

}  // namespace quern
