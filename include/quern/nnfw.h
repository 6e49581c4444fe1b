/* The names of onert's API of C for on-device compilation, over quern.h: programs that were written for onert compile against this header
 * and libquern as they stand. Inline functions alone, C99 and newer, C++.
 *
 *     nnfw_session* session = NULL;
 *     nnfw_create_session(&session);
 *     nnfw_load_model_from_file(session, "net.circle");
 *     nnfw_set_quantization_type(session, NNFW_QUANTIZE_TYPE_WO_I8_SYM);
 *     nnfw_set_quantized_model_path(session, "net.q.circle");
 *     nnfw_quantize(session);
 *     nnfw_run(session);
 *
 * Functions do what those of quern.h do, which are named behind them, in the states that it says: after nnfw_quantize the quantized model
 * is prepared, and buffers stay as they were set. Errors are NNFW_STATUS_ERROR but for what onert has a status of its own for;
 * nnfw_get_last_error_message() has the text. What is not here, training and pipelines, quern does not have.
 */
#ifndef QUERN_NNFW_H
#define QUERN_NNFW_H

#include <string.h>

#include "quern.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef quern_inference_session nnfw_session;

typedef enum {
    NNFW_STATUS_NO_ERROR = 0,
    NNFW_STATUS_ERROR = 1,
    NNFW_STATUS_UNEXPECTED_NULL = 2,
    NNFW_STATUS_INVALID_STATE = 3, /* a call at the wrong time, or an argument that is wrong */
    NNFW_STATUS_OUT_OF_MEMORY = 4,
    NNFW_STATUS_INSUFFICIENT_OUTPUT_SIZE = 5,
    NNFW_STATUS_DEPRECATED_API = 6
} NNFW_STATUS;

typedef enum {
    NNFW_TYPE_TENSOR_FLOAT32 = 0,
    NNFW_TYPE_TENSOR_INT32 = 1,
    NNFW_TYPE_TENSOR_QUANT8_ASYMM = 2,
    NNFW_TYPE_TENSOR_BOOL = 3,
    NNFW_TYPE_TENSOR_UINT8 = 4,
    NNFW_TYPE_TENSOR_INT64 = 5,
    NNFW_TYPE_TENSOR_QUANT8_ASYMM_SIGNED = 6,
    NNFW_TYPE_TENSOR_QUANT16_SYMM_SIGNED = 7
} NNFW_TYPE;

typedef enum {
    NNFW_QUANTIZE_TYPE_NOT_SET = 0,
    NNFW_QUANTIZE_TYPE_U8_ASYM = 1,
    NNFW_QUANTIZE_TYPE_I16_SYM = 2,
    NNFW_QUANTIZE_TYPE_WO_I8_SYM = 3,
    NNFW_QUANTIZE_TYPE_WO_I16_SYM = 4
} NNFW_QUANTIZE_TYPE;

typedef enum {
    NNFW_CODEGEN_PREF_DEFAULT = 0,
    NNFW_CODEGEN_PREF_PERFORMANCE_FIRST = 1, /* QUERN_PREFERENCE_SPEED */
    NNFW_CODEGEN_PREF_MEMORY_FIRST = 2,      /* QUERN_PREFERENCE_SIZE */
    NNFW_CODEGEN_PREF_COMPILE_TIME_FIRST = 3 /* as the default */
} NNFW_CODEGEN_PREF;

typedef enum { NNFW_RUN_CONFIG_DUMP_MINMAX = 0 } NNFW_RUN_CONFIG; /* traces and profiles are the tools' */

#define NNFW_MAX_RANK 6

typedef struct nnfw_tensorinfo {
    NNFW_TYPE dtype; /* of the values: float32 of a quantized input or output, whose buffers may be codes all the same */
    int32_t rank;
    int32_t dims[NNFW_MAX_RANK]; /* -1: known at run time only */
} nnfw_tensorinfo;

static inline NNFW_STATUS nnfw_status_of(quern_status status) {
    switch (status) {
        case QUERN_OK: return NNFW_STATUS_NO_ERROR;
        case QUERN_USAGE: return NNFW_STATUS_INVALID_STATE;
        default: return NNFW_STATUS_ERROR;
    }
}

/* QUERN_DTYPE_NONE: no type of onert's */
static inline quern_dtype nnfw_dtype_of(NNFW_TYPE type) {
    switch (type) {
        case NNFW_TYPE_TENSOR_FLOAT32: return QUERN_FLOAT32;
        case NNFW_TYPE_TENSOR_INT32: return QUERN_INT32;
        case NNFW_TYPE_TENSOR_QUANT8_ASYMM:
        case NNFW_TYPE_TENSOR_UINT8: return QUERN_UINT8;
        case NNFW_TYPE_TENSOR_BOOL: return QUERN_BOOL;
        case NNFW_TYPE_TENSOR_INT64: return QUERN_INT64;
        case NNFW_TYPE_TENSOR_QUANT8_ASYMM_SIGNED: return QUERN_INT8;
        case NNFW_TYPE_TENSOR_QUANT16_SYMM_SIGNED: return QUERN_INT16;
        default: return QUERN_DTYPE_NONE;
    }
}

/* Of the last function that failed on this thread; cut where the buffer ends. */
static inline NNFW_STATUS nnfw_get_last_error_message(nnfw_session* session, char* buffer, uint32_t length) {
    (void)session;
    if (!buffer || length == 0) return NNFW_STATUS_UNEXPECTED_NULL;
    const char* text = quern_last_error();
    const size_t size = strlen(text), kept = size < length ? size : length - 1;
    memcpy(buffer, text, kept);
    buffer[kept] = '\0';
    return kept < size ? NNFW_STATUS_INSUFFICIENT_OUTPUT_SIZE : NNFW_STATUS_NO_ERROR;
}

static inline NNFW_STATUS nnfw_create_session(nnfw_session** session) {
    return session ? nnfw_status_of(quern_create_session(session)) : NNFW_STATUS_UNEXPECTED_NULL;
}
static inline NNFW_STATUS nnfw_close_session(nnfw_session* session) {
    if (!session) return NNFW_STATUS_UNEXPECTED_NULL;
    quern_close_session(session);
    return NNFW_STATUS_NO_ERROR;
}
/* A file, or a folder that is an nnpackage. */
static inline NNFW_STATUS nnfw_load_model_from_file(nnfw_session* session, const char* path) {
    return session && path ? nnfw_status_of(quern_load_model_from_file(session, path)) : NNFW_STATUS_UNEXPECTED_NULL;
}
static inline NNFW_STATUS nnfw_prepare(nnfw_session* session) {
    return session ? nnfw_status_of(quern_prepare(session)) : NNFW_STATUS_UNEXPECTED_NULL;
}
static inline NNFW_STATUS nnfw_run(nnfw_session* session) {
    return session ? nnfw_status_of(quern_run(session)) : NNFW_STATUS_UNEXPECTED_NULL;
}

/* `length`: bytes */
static inline NNFW_STATUS nnfw_set_input(nnfw_session* session, uint32_t index, NNFW_TYPE type, const void* buffer, size_t length) {
    if (!session || (!buffer && length > 0)) return NNFW_STATUS_UNEXPECTED_NULL;
    return nnfw_status_of(quern_set_input(session, index, nnfw_dtype_of(type), buffer, length));
}
static inline NNFW_STATUS nnfw_set_output(nnfw_session* session, uint32_t index, NNFW_TYPE type, void* buffer, size_t length) {
    if (!session || (!buffer && length > 0)) return NNFW_STATUS_UNEXPECTED_NULL;
    return nnfw_status_of(quern_set_output(session, index, nnfw_dtype_of(type), buffer, length));
}

static inline NNFW_STATUS nnfw_count(nnfw_session* session, uint32_t* number, quern_status (*ask)(nnfw_session*, size_t*)) {
    size_t count = 0;
    if (!session || !number) return NNFW_STATUS_UNEXPECTED_NULL;
    const quern_status status = ask(session, &count);
    *number = (uint32_t)count;
    return nnfw_status_of(status);
}
static inline NNFW_STATUS nnfw_input_size(nnfw_session* session, uint32_t* number) {
    return nnfw_count(session, number, quern_input_count);
}
static inline NNFW_STATUS nnfw_output_size(nnfw_session* session, uint32_t* number) {
    return nnfw_count(session, number, quern_output_count);
}

static inline NNFW_STATUS nnfw_tell(const quern_io_info* from, nnfw_tensorinfo* to) {
    switch (from->dtype) {
        case QUERN_FLOAT32: to->dtype = NNFW_TYPE_TENSOR_FLOAT32; break;
        case QUERN_INT32: to->dtype = NNFW_TYPE_TENSOR_INT32; break;
        case QUERN_UINT8: to->dtype = NNFW_TYPE_TENSOR_UINT8; break;
        case QUERN_BOOL: to->dtype = NNFW_TYPE_TENSOR_BOOL; break;
        case QUERN_INT64: to->dtype = NNFW_TYPE_TENSOR_INT64; break;
        default: return NNFW_STATUS_ERROR; /* onert has no such type */
    }
    if (from->rank < 0 || from->rank > NNFW_MAX_RANK) return NNFW_STATUS_ERROR;
    to->rank = from->rank;
    for (int32_t i = 0; i < from->rank; ++i) to->dims[i] = (int32_t)from->dims[i];
    return NNFW_STATUS_NO_ERROR;
}
static inline NNFW_STATUS nnfw_tensorinfo_of(nnfw_session* session, uint32_t index, nnfw_tensorinfo* to,
                                             quern_status (*ask)(nnfw_session*, size_t, quern_io_info*)) {
    quern_io_info info;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    if (!session || !to) return NNFW_STATUS_UNEXPECTED_NULL;
    const quern_status status = ask(session, index, &info);
    return status == QUERN_OK ? nnfw_tell(&info, to) : nnfw_status_of(status);
}
static inline NNFW_STATUS nnfw_input_tensorinfo(nnfw_session* session, uint32_t index, nnfw_tensorinfo* to) {
    return nnfw_tensorinfo_of(session, index, to, quern_input_info);
}
static inline NNFW_STATUS nnfw_output_tensorinfo(nnfw_session* session, uint32_t index, nnfw_tensorinfo* to) {
    return nnfw_tensorinfo_of(session, index, to, quern_output_info);
}
static inline NNFW_STATUS nnfw_set_input_tensorinfo(nnfw_session* session, uint32_t index, const nnfw_tensorinfo* from) {
    int64_t dims[NNFW_MAX_RANK];
    if (!session || !from) return NNFW_STATUS_UNEXPECTED_NULL;
    if (from->rank < 0 || from->rank > NNFW_MAX_RANK) return NNFW_STATUS_ERROR;
    for (int32_t i = 0; i < from->rank; ++i) dims[i] = from->dims[i];
    return nnfw_status_of(quern_set_input_shape(session, index, from->rank, dims));
}

/* Names with ";" between them. */
static inline NNFW_STATUS nnfw_set_available_backends(nnfw_session* session, const char* backends) {
    return session && backends ? nnfw_status_of(quern_set_available_backends(session, backends)) : NNFW_STATUS_UNEXPECTED_NULL;
}
/* As some of onert's documents spell it. */
static inline NNFW_STATUS nnfw_set_available_backend(nnfw_session* session, const char* backend) {
    return nnfw_set_available_backends(session, backend);
}

/* ---- quantizing -------------------------------------------------------------------------------------------------------------------- */

/* QUERN_RECORD_MINMAX; `value` is for other settings than this one. */
static inline NNFW_STATUS nnfw_set_execute_config(nnfw_session* session, NNFW_RUN_CONFIG key, const char* value) {
    (void)value;
    if (!session) return NNFW_STATUS_UNEXPECTED_NULL;
    return key == NNFW_RUN_CONFIG_DUMP_MINMAX ? nnfw_status_of(quern_set_execute_config(session, QUERN_RECORD_MINMAX)) : NNFW_STATUS_ERROR;
}
static inline NNFW_STATUS nnfw_reset_execute_config(nnfw_session* session) {
    return session ? nnfw_status_of(quern_reset_execute_config(session)) : NNFW_STATUS_UNEXPECTED_NULL;
}
static inline NNFW_STATUS nnfw_set_quantization_type(nnfw_session* session, NNFW_QUANTIZE_TYPE type) {
    if (!session) return NNFW_STATUS_UNEXPECTED_NULL;
    switch (type) {
        case NNFW_QUANTIZE_TYPE_U8_ASYM: return nnfw_status_of(quern_set_quantization_type(session, "uint8"));
        case NNFW_QUANTIZE_TYPE_I16_SYM: return nnfw_status_of(quern_set_quantization_type(session, "int16"));
        case NNFW_QUANTIZE_TYPE_WO_I8_SYM: return nnfw_status_of(quern_set_quantization_type(session, "int8_wo"));
        case NNFW_QUANTIZE_TYPE_WO_I16_SYM: return nnfw_status_of(quern_set_quantization_type(session, "int16_wo"));
        default: return NNFW_STATUS_INVALID_STATE;
    }
}
static inline NNFW_STATUS nnfw_set_quantized_model_path(nnfw_session* session, const char* path) {
    return session && path ? nnfw_status_of(quern_set_quantized_model_path(session, path)) : NNFW_STATUS_UNEXPECTED_NULL;
}
static inline NNFW_STATUS nnfw_quantize(nnfw_session* session) {
    return session ? nnfw_status_of(quern_quantize(session)) : NNFW_STATUS_UNEXPECTED_NULL;
}

/* ---- generating code, and all at once ---------------------------------------------------------------------------------------------- */

static inline quern_preference nnfw_preference_of(NNFW_CODEGEN_PREF preference) {
    return preference == NNFW_CODEGEN_PREF_PERFORMANCE_FIRST ? QUERN_PREFERENCE_SPEED
           : preference == NNFW_CODEGEN_PREF_MEMORY_FIRST    ? QUERN_PREFERENCE_SIZE
                                                             : QUERN_PREFERENCE_DEFAULT;
}
static inline NNFW_STATUS nnfw_set_codegen_model_path(nnfw_session* session, const char* path) {
    return session && path ? nnfw_status_of(quern_set_codegen_model_path(session, path)) : NNFW_STATUS_UNEXPECTED_NULL;
}
static inline NNFW_STATUS nnfw_codegen(nnfw_session* session, const char* target, NNFW_CODEGEN_PREF preference) {
    if (!session || !target) return NNFW_STATUS_UNEXPECTED_NULL;
    return nnfw_status_of(quern_codegen(session, target, nnfw_preference_of(preference)));
}
/* Recorded runs after which the next function compiles. */
static inline NNFW_STATUS nnfw_set_odc_param_minmax_records_count(nnfw_session* session, int count) {
    if (!session) return NNFW_STATUS_UNEXPECTED_NULL;
    return count > 0 ? nnfw_status_of(quern_set_minmax_runs(session, (uint64_t)count)) : NNFW_STATUS_ERROR;
}
static inline NNFW_STATUS nnfw_run_with_auto_compilation(nnfw_session* session, const char* target, NNFW_CODEGEN_PREF preference) {
    if (!session) return NNFW_STATUS_UNEXPECTED_NULL;
    return nnfw_status_of(quern_run_with_auto_compilation(session, target, nnfw_preference_of(preference)));
}

#ifdef __cplusplus
}
#endif
#endif
