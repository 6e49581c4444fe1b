// quern.h over InferenceSession: what leaves this file is a status.
#include "include/quern/quern.h"

#include <unistd.h>

#include <limits>

#include "libcore/api/inference.h"
#include "libcore/backend/guard.h"
#include "libcore/backend/view.h"

using quern::InferenceSession;

struct quern_inference_session {
    InferenceSession session;
    const pid_t process = ::getpid();
};

namespace {

constexpr quern::Giver the_caller{quern::Exit::usage, "the caller gives"};

thread_local std::string last_error;

bool is_inherited(const quern_inference_session& session) { return session.process != ::getpid(); }

template <class Body>
quern_status call(quern_inference_session* session, const Body& body) noexcept {
    return quern::guarded(last_error, [&] {
        if (!session) throw quern::usage_error("the session is NULL");
        if (is_inherited(*session))  // with locks and threads that nobody here will give back
            throw quern::unsupported(
                "the session is of process {}, of which this one is a fork: create a session here, or start processes anew",
                session->process);
        const auto lock = session->session.lock();
        body(session->session);
    });
}

template <class T>
T& there(T* pointer, const char* name) {
    if (!pointer) throw quern::usage_error("{} is NULL", name);
    return *pointer;
}

std::string text_or_none(const char* text) { return text ? text : ""; }

quern::IoBuffer buffer_of(quern_dtype dtype, void* data, size_t size) {
    if (size > 0) there(static_cast<char*>(data), "the buffer");
    return {quern::dtype_from_c(dtype), data, size};
}

quern::Preference preference_of(quern_preference preference) {
    switch (preference) {
        case QUERN_PREFERENCE_DEFAULT: return quern::Preference::usual;
        case QUERN_PREFERENCE_SPEED: return quern::Preference::speed;
        case QUERN_PREFERENCE_SIZE: return quern::Preference::size;
        default: throw quern::usage_error("preference {}: need 0, 1 or 2", preference);
    }
}

void describe(quern::Ports& ports, const quern::InputSpec& spec, const quern::Dims& dims, quern_io_info& out) {
    quern_io_info info{};
    info.struct_size = out.struct_size;
    info.name = ports.kept(spec.name);
    info.dtype = info.storage = quern::c_dtype(spec.type.dtype);
    if (spec.enc) {
        info.storage = quern::c_dtype(spec.enc->storage);
        if (spec.enc->scale.defined() && spec.enc->scale.count() == 1) {
            info.scale = quern::to_doubles(spec.enc->scale)[0];
            info.zero = spec.enc->zero_at();
        }
    }
    info.rank = spec.type.shape.ranked || !dims.empty() ? static_cast<int32_t>(dims.size()) : -1;
    info.dims = dims.data();
    if (out.struct_size < sizeof info) throw quern::usage_error("struct_size is {}, need {}", out.struct_size, sizeof info);
    out = info;
}

}  // namespace

extern "C" {

quern_status quern_create_session(quern_inference_session** out) {
    return quern::guarded(last_error, [&] {
        quern_inference_session*& made = there(out, "out");
        made = new quern_inference_session;
    });
}

void quern_close_session(quern_inference_session* session) {
    if (session && is_inherited(*session)) return;  // its threads, which it would wait for, are not here
    delete session;
}

quern_status quern_get_state(quern_inference_session* session, quern_session_state* out) {
    return call(session, [&](auto& s) { there(out, "out") = static_cast<quern_session_state>(s.state()); });
}

const char* quern_last_error(void) { return last_error.c_str(); }

quern_status quern_set_log(quern_inference_session* session, void (*log)(void* self, const char* text), void* self) {
    return call(session, [&](auto& s) {
        s.set_log([log, self](const std::string& text) {
            if (log) log(self, text.c_str());
        });
    });
}

quern_status quern_set_threads(quern_inference_session* session, int32_t threads) {
    return call(session, [&](auto& s) { s.set_threads(threads); });
}

quern_status quern_load_model_from_file(quern_inference_session* session, const char* path) {
    return call(session, [&](auto& s) { s.load_file(&there(path, "path")); });
}

quern_status quern_load_model_from_memory(quern_inference_session* session, const void* data, size_t size) {
    return call(session, [&](auto& s) { s.load_memory(quern::Bytes::copy(&there(static_cast<const char*>(data), "data"), size)); });
}

quern_status quern_set_signature(quern_inference_session* session, const char* name) {
    return call(session, [&](auto& s) { s.set_signature(text_or_none(name)); });
}

quern_status quern_set_input_shape(quern_inference_session* session, size_t index, int32_t rank, const int64_t* dims) {
    return call(session, [&](auto& s) {
        if (rank < 0) throw quern::usage_error("rank is {}, need 0 or more", rank);
        s.check_input_rank(index, rank);  // before what `dims` may not have is read
        if (rank > 0) there(dims, "dims");
        s.set_input_shape(index, quern::dims_from_c(rank, dims, std::numeric_limits<int64_t>::min(), the_caller));
    });
}

quern_status quern_pin_input(quern_inference_session* session, const char* pin) {
    return call(session, [&](auto& s) { s.pin_input(&there(pin, "pin")); });
}

quern_status quern_set_available_backends(quern_inference_session* session, const char* names) {
    return call(session, [&](auto& s) { s.set_backends(text_or_none(names)); });
}

quern_status quern_available_backends(quern_inference_session* session, const char** out) {
    return call(session, [&](auto& s) { there(out, "out") = s.backends().c_str(); });
}

quern_status quern_set_backend_options(quern_inference_session* session, const char* options) {
    return call(session, [&](auto& s) { s.set_backend_options(text_or_none(options)); });
}

quern_status quern_prepare(quern_inference_session* session) {
    return call(session, [](auto& s) { s.prepare(); });
}

quern_status quern_input_count(quern_inference_session* session, size_t* out) {
    return call(session, [&](auto& s) { there(out, "out") = s.ports().inputs().size(); });
}

quern_status quern_output_count(quern_inference_session* session, size_t* out) {
    return call(session, [&](auto& s) { there(out, "out") = s.ports().outputs().size(); });
}

quern_status quern_input_info(quern_inference_session* session, size_t index, quern_io_info* out) {
    return call(session, [&](auto& s) {
        const quern::Dims& dims = s.ports().input_dims(index);
        describe(s.ports(), s.ports().inputs()[index], dims, there(out, "out"));
    });
}

quern_status quern_output_info(quern_inference_session* session, size_t index, quern_io_info* out) {
    return call(session, [&](auto& s) {
        const quern::Dims& dims = s.ports().output_dims(index);
        describe(s.ports(), s.ports().outputs()[index], dims, there(out, "out"));
    });
}

quern_status quern_set_input(quern_inference_session* session, size_t index, quern_dtype dtype, const void* data, size_t size) {
    return call(session, [&](auto& s) { s.ports().set_input(index, buffer_of(dtype, const_cast<void*>(data), size)); });
}

quern_status quern_set_output(quern_inference_session* session, size_t index, quern_dtype dtype, void* data, size_t size) {
    return call(session, [&](auto& s) { s.ports().set_output(index, data ? buffer_of(dtype, data, size) : quern::IoBuffer()); });
}

quern_status quern_run(quern_inference_session* session) {
    return call(session, [](auto& s) { s.run(); });
}

quern_status quern_output_data(quern_inference_session* session, size_t index, const void** data, size_t* size) {
    return call(session, [&](auto& s) {
        const quern::Tensor& output = s.output(index);
        if (output.dtype == quern::DType::string) throw quern::unsupported("output {}: strings do not go through buffers", index);
        there(data, "data") = output.data.data();
        there(size, "size") = output.data.size();
    });
}

quern_status quern_set_execute_config(quern_inference_session* session, quern_execute_config config) {
    return call(session, [&](auto& s) {
        if (config != QUERN_RECORD_MINMAX) throw quern::usage_error("execute config {}: need QUERN_RECORD_MINMAX", config);
        s.record(true);
    });
}

quern_status quern_reset_execute_config(quern_inference_session* session) {
    return call(session, [](auto& s) { s.record(false); });
}

quern_status quern_recorded_runs(quern_inference_session* session, uint64_t* out) {
    return call(session, [&](auto& s) { there(out, "out") = s.recorded_runs(); });
}

quern_status quern_set_quantization_type(quern_inference_session* session, const char* type) {
    return call(session, [&](auto& s) { s.set_type(&there(type, "type")); });
}

quern_status quern_set_quantization_target(quern_inference_session* session, const char* target) {
    return call(session, [&](auto& s) { s.set_target(text_or_none(target)); });
}

quern_status quern_is_quantized(quern_inference_session* session, int32_t* out) {
    return call(session, [&](auto& s) { there(out, "out") = s.is_quantized() ? 1 : 0; });
}

quern_status quern_set_quantized_model_path(quern_inference_session* session, const char* path) {
    return call(session, [&](auto& s) { s.set_quantized_path(text_or_none(path)); });
}

quern_status quern_quantize(quern_inference_session* session) {
    return call(session, [](auto& s) { s.quantize(); });
}

quern_status quern_set_codegen_model_path(quern_inference_session* session, const char* path) {
    return call(session, [&](auto& s) { s.set_codegen_path(text_or_none(path)); });
}

quern_status quern_set_codegen_option(quern_inference_session* session, const char* name, const char* text) {
    return call(session, [&](auto& s) { s.set_codegen_option(&there(name, "name"), text_or_none(text)); });
}

quern_status quern_codegen(quern_inference_session* session, const char* target, quern_preference preference) {
    return call(session, [&](auto& s) { s.codegen(&there(target, "target"), preference_of(preference)); });
}

quern_status quern_set_minmax_runs(quern_inference_session* session, uint64_t runs) {
    return call(session, [&](auto& s) { s.set_minmax_runs(runs); });
}

quern_status quern_run_with_auto_compilation(quern_inference_session* session, const char* target, quern_preference preference) {
    return call(session, [&](auto& s) { s.run_with_auto_compilation(text_or_none(target), preference_of(preference)); });
}

quern_status quern_model_path(quern_inference_session* session, const char** out) {
    return call(session, [&](auto& s) { there(out, "out") = s.model_path().c_str(); });
}

}  // extern "C"
