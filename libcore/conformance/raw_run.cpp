#include "libcore/conformance/raw_run.h"

#include <algorithm>

#include "libcore/backend/view.h"
#include "libcore/base/text.h"
#include "libcore/conformance/part_check.h"

namespace quern::conformance {

RawPart::RawPart(const Context& context, const Part& of) : part(of) {
    const auto instance = instance_of(context);
    blob = compiled(*instance, part);
    const auto executable = instance->load(blob);
    in = executable->inputs(), out = executable->outputs();
    for (size_t i = 0; i < in.size(); ++i) inputs.push_back(aligned(adapt(part.samples[0].at(i), in[i]).tensor));
}

bool RawPart::is_plain() const {
    const auto dynamic = [](const Port& port) { return port.encoding && port.encoding->is_dynamic(); };
    return std::ranges::none_of(in, dynamic) && std::ranges::none_of(out, dynamic);
}

void RawRun::set_input(size_t i) const {
    const quern_buffer buffer = buffer_of(part_.inputs[i]);
    calls_.need("set_input", [&] { return table().set_input(session(), i, &buffer); });
}

void RawRun::set_inputs() const {
    for (size_t i = part_.inputs.size(); i-- > 0;) set_input(i);
}

void RawRun::set_outputs() {
    targets_.clear();
    for (size_t i = 0; i < part_.out.size(); ++i) {
        const Port& port = part_.out[i];
        const auto dims = port.type.shape.concrete();
        const DType dtype = port.encoding ? port.encoding->storage : port.type.dtype;
        Tensor wanted{dtype, dims.value_or(Dims{}), {}};
        quern_buffer buffer = buffer_of(wanted);
        buffer.data = nullptr, buffer.size = 0;
        if (dims && dtype != DType::string) {
            Padded& memory = targets_.emplace_back(storage_size(dtype, static_cast<uint64_t>(count_of(*dims))), true);
            buffer.data = memory.data(), buffer.size = memory.size();
        }
        calls_.need("set_output", [&] { return table().set_output(session(), i, &buffer); });
    }
}

void RawRun::execute() const {
    calls_.need("execute", [&] { return table().execute(session()); });
}

std::vector<Tensor> RawRun::outputs() const {
    std::vector<Tensor> out;
    for (size_t i = 0; i < part_.out.size(); ++i) {
        auto buffer = sized<quern_buffer>();
        calls_.need("get_output", [&] { return table().get_output(session(), i, &buffer); });
        out.push_back(tensor_from(buffer));
        const size_t element = std::max<size_t>(1, bits_of(out.back().dtype) / 8);
        if (reinterpret_cast<uintptr_t>(buffer.data) % element != 0)
            throw fault("get_output: the data of output \"{}\" is not aligned to its elements of {} bytes", escape(part_.out[i].name),
                        element);
    }
    return out;
}

quern_status RawRun::input_status(size_t i, const quern_buffer& buffer) const {
    return calls_.status("set_input", [&] { return table().set_input(session(), i, &buffer); });
}

quern_status RawRun::execute_status() const {
    return calls_.status("execute", [&] { return table().execute(session()); });
}

quern_status RawRun::output_status(size_t i, quern_buffer& buffer) const {
    return calls_.status("get_output", [&] { return table().get_output(session(), i, &buffer); });
}

void check_outputs(const RawPart& part, const std::vector<Tensor>& got, const std::vector<Tensor>& want, std::string_view what) {
    for (size_t i = 0; i < want.size(); ++i)
        if (!identical(got[i], want[i])) throw fault("{} gives another result: output \"{}\"", what, escape(part.out[i].name));
}

}  // namespace quern::conformance
