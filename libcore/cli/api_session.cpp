#include "libcore/cli/api_session.h"

#include "formats/format.h"
#include "libcore/backend/view.h"
#include "libcore/cli/tool.h"

namespace quern {
namespace {

void show_note(void*, const char* text) { notice(text); }

Dims dims_of(const quern_io_info& info) { return info.rank > 0 ? Dims(info.dims, info.dims + info.rank) : Dims(); }

InputSpec spec_of(const quern_io_info& info) {
    InputSpec spec{info.name, Type::tensor(dtype_from_c(info.dtype)), {}};
    if (info.rank >= 0) spec.type.shape = Shape::of(dims_of(info));
    if (info.storage == info.dtype || info.scale == 0) return spec;
    const DType storage = dtype_from_c(info.storage);
    const DType wide = bits_of(storage) > 8 ? DType::i32 : storage;
    spec.enc = make_encoding(storage, Tensor::scalar(static_cast<float>(info.scale)), from_ints(wide, {}, std::vector{info.zero}));
    return spec;
}

}  // namespace

void check_quantized_path(const std::string& path) {
    try {
        check_output(path, "", {});
    } catch (Error& error) {
        throw error.with_hint("the suffix is the format: .onnx, .tflite, .circle, .qn or .mlir");
    }
}

ApiSession::ApiSession() {
    quern_inference_session* session = nullptr;
    check(quern_create_session(&session));
    held_.reset(session);
    (*this)(quern_set_log, show_note, nullptr);
}

void ApiSession::check(quern_status status) {
    if (status != QUERN_OK) throw Error(static_cast<Exit>(status), quern_last_error());
}

quern_session_state ApiSession::state() const {
    quern_session_state now = QUERN_STATE_CREATED;
    (*this)(quern_get_state, &now);
    return now;
}

template <class Count, class Info>
static std::vector<InputSpec> specs_of(const ApiSession& session, Count count_of_them, Info info_of) {
    size_t count = 0;
    session(count_of_them, &count);
    std::vector<InputSpec> specs;
    for (size_t i = 0; i < count; ++i) {
        quern_io_info info{};
        info.struct_size = sizeof info;
        session(info_of, i, &info);
        specs.push_back(spec_of(info));
    }
    return specs;
}

std::vector<InputSpec> ApiSession::inputs() const { return specs_of(*this, quern_input_count, quern_input_info); }
std::vector<InputSpec> ApiSession::outputs() const { return specs_of(*this, quern_output_count, quern_output_info); }

void ApiSession::set_input(size_t index, const Tensor& tensor) const {
    (*this)(quern_set_input, index, c_dtype(tensor.dtype), tensor.data.data(), tensor.data.size());
}

Tensor ApiSession::output(size_t index) const {
    const void* data = nullptr;
    size_t size = 0;
    quern_io_info info{};
    info.struct_size = sizeof info;
    (*this)(quern_output_info, index, &info);
    const Dims dims = dims_of(info);
    const DType dtype = dtype_from_c(info.dtype);
    (*this)(quern_output_data, index, &data, &size);
    return {dtype, dims, Bytes::copy(data, size)};
}

std::string ApiSession::text(quern_status (*function)(quern_inference_session*, const char**)) const {
    const char* text = "";
    (*this)(function, &text);
    return text;
}

}  // namespace quern
