// A loaded part whose session is called function by function.
#pragma once

#include "libcore/backend/padded.h"
#include "libcore/conformance/calls.h"

namespace quern::conformance {

// A part with its blob, its ports as the back end describes them, and the sample as these want it.
struct RawPart {
    RawPart(const Context& context, const Part& part);
    // Encodings that are computed in the run need grids: such parts are left to others.
    bool is_plain() const;

    const Part& part;
    Bytes blob;
    std::vector<Port> in, out;
    std::vector<Tensor> inputs;
};

// One session.
class RawRun {
   public:
    RawRun(const Calls& calls, const RawPart& part, quern_executable* executable)
        : calls_(calls), part_(part), session_(calls.open(executable)) {}

    quern_session* session() const { return session_.get(); }
    const quern_backend_api& table() const { return calls_.table(); }
    const Calls& calls() const { return calls_; }
    const RawPart& part() const { return part_; }

    void set_input(size_t i) const;
    void set_inputs() const;
    bool has_set_output() const { return QUERN_OPTIONAL(table(), set_output) != nullptr; }
    // With memory of ours for outputs of known size.
    void set_outputs();
    void execute() const;
    std::vector<Tensor> outputs() const;
    quern_status input_status(size_t i, const quern_buffer& buffer) const;
    quern_status execute_status() const;
    quern_status output_status(size_t i, quern_buffer& buffer) const;
    void end() { session_.end(); }

   private:
    const Calls& calls_;
    const RawPart& part_;
    OwnedSession session_;
    std::vector<Padded> targets_;
};

// Throws where an output has other bits.
void check_outputs(const RawPart& part, const std::vector<Tensor>& got, const std::vector<Tensor>& want, std::string_view what);

}  // namespace quern::conformance
