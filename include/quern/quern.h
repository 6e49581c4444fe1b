/* quern's session interface: plain C (C99 and newer, C++), in libquern.so. A session is one model in use: load, prepare, set buffers, run;
 * record ranges while running, quantize, generate code; what was made is loaded in place of the model.
 *
 *     quern_inference_session* s;
 *     quern_create_session(&s);
 *     quern_load_model_from_file(s, "net.circle");
 *     quern_prepare(s);
 *     quern_set_input(s, 0, QUERN_FLOAT32, image, sizeof image);
 *     quern_set_output(s, 0, QUERN_FLOAT32, scores, sizeof scores);
 *     quern_run(s);
 *     quern_close_session(s);
 *
 * States: CREATED -> LOADED -> PREPARED. Each function says in which states it may be called and which one follows; else it returns
 * QUERN_USAGE. A function that fails leaves the session in the state in which it was, unless its comment says otherwise.
 *
 * Errors: functions return a quern_status (backend.h): QUERN_USAGE for a call, argument or option that is wrong, QUERN_BAD_INPUT for a
 * broken file or a buffer that does not fit, QUERN_UNSUPPORTED, QUERN_IO, QUERN_INTERNAL. quern_last_error() says what was wrong.
 *
 * Threads: any function may be called on any thread; calls on one session are serialized. quern_close_session() must be the last.
 *
 * Memory: texts and lists that come out are the session's, valid until the model changes (load, quantize, codegen, automatic compilation)
 * or the session is closed, unless a comment says otherwise. Buffers are the caller's and must stay until the last run that uses them.
 *
 * docs/session.md is the guide.
 */
#ifndef QUERN_QUERN_H
#define QUERN_QUERN_H

#include "backend.h" /* quern_status, quern_dtype, QUERN_EXPORT */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct quern_inference_session quern_inference_session;

typedef int32_t quern_session_state;
enum { QUERN_STATE_CREATED = 0, QUERN_STATE_LOADED = 1, QUERN_STATE_PREPARED = 2 };

typedef int32_t quern_preference;
enum { QUERN_PREFERENCE_DEFAULT = 0, QUERN_PREFERENCE_SPEED = 1, QUERN_PREFERENCE_SIZE = 2 };

/* An input or an output. struct_size is set by the caller. */
typedef struct quern_io_info {
    uint32_t struct_size;
    const char* name;
    quern_dtype dtype;   /* of the float values */
    quern_dtype storage; /* of the quantized values; dtype if it is not quantized */
    double scale;        /* float value = (quantized value - zero) * scale, if it has one scale; else 0 */
    int64_t zero;
    int32_t rank;        /* -1: not known */
    const int64_t* dims; /* -1: known at run time only. Outputs after a run: those of the last run. Valid until the next call */
} quern_io_info;

/* ---- life: any state --------------------------------------------------------------------------------------------------------------- */

/* -> CREATED */
QUERN_EXPORT quern_status quern_create_session(quern_inference_session** out);
QUERN_EXPORT void quern_close_session(quern_inference_session* session); /* NULL is ignored */
QUERN_EXPORT quern_status quern_get_state(quern_inference_session* session, quern_session_state* out);
/* Of the last function that failed on the calling thread, in one line of UTF-8; valid until the next call on this thread. */
QUERN_EXPORT const char* quern_last_error(void);
/* What the user should know though nothing failed (settings without effect, devices that are simulated). Called on the thread that calls
 * the session; it must not call the session. NULL: no log. */
QUERN_EXPORT quern_status quern_set_log(quern_inference_session* session, void (*log)(void* self, const char* text), void* self);
/* Threads of runs and of quantize, 1 to 4096; default: all processors of this process. From the next prepare on. */
QUERN_EXPORT quern_status quern_set_threads(quern_inference_session* session, int32_t threads);

/* ---- loading: CREATED, LOADED, PREPARED -> LOADED; fails: the old model stays ---- */

/* A model file of any format that quern reads, a compiled context, or an nnpackage: a folder with metadata/MANIFEST, which names one model
 * and may name a config file (BACKENDS and NUM_THREADS, which environment variables of these names override). A path that
 * no format recognises is taken as a product of quern_codegen for the first of the available back ends. "-": standard input. */
QUERN_EXPORT quern_status quern_load_model_from_file(quern_inference_session* session, const char* path);
/* The bytes are copied. */
QUERN_EXPORT quern_status quern_load_model_from_memory(quern_inference_session* session, const void* data, size_t size);
/* CREATED: of a file with several graphs, the one that the signature names. "": the first. */
QUERN_EXPORT quern_status quern_set_signature(quern_inference_session* session, const char* name);

/* ---- running ----------------------------------------------------------------------------------------------------------------------- */

/* LOADED, PREPARED. The shape of an input: fixed in the model (LOADED), or that of the runs that follow, which the model's must allow
 * (PREPARED). */
QUERN_EXPORT quern_status quern_set_input_shape(quern_inference_session* session, size_t index, int32_t rank, const int64_t* dims);
/* LOADED. "sr=16000": the input of this name, whose shape is fixed, always has this value: one number for all of its elements, or one for
 * each, "," between them. It is then no longer an input: those behind it move up, and shapes and buffers that were set by index are
 * forgotten. What follows from it is folded. */
QUERN_EXPORT quern_status quern_pin_input(quern_inference_session* session, const char* pin);
/* Any state. Back ends in order of preference, ";" between them, as the variable BACKENDS has them; cpu takes what none of them runs.
 * PREPARED: the model is compiled anew for them; fails: as before. */
QUERN_EXPORT quern_status quern_set_available_backends(quern_inference_session* session, const char* names);
/* Any state. The back ends as they were set, by a call, the environment or a package; "": cpu, or as the model's nodes are placed. Valid
 * until the next call. */
QUERN_EXPORT quern_status quern_available_backends(quern_inference_session* session, const char** out);
/* Any state. What back ends that are libraries get as the options of create(): a JSON object, {"device": "npu1"}; NULL or "": none.
 * Contexts keep those that they were generated with, and are loaded with both, these in place of theirs of the same names. From the next
 * load on; PREPARED: the model is compiled anew, but for contexts; fails: as before. */
QUERN_EXPORT quern_status quern_set_backend_options(quern_inference_session* session, const char* options);
/* LOADED, PREPARED -> PREPARED. Compiles the model, anew if it was: one whose activations are encoded
 * computes on quantized values, others in float, as `quern run` does. */
QUERN_EXPORT quern_status quern_prepare(quern_inference_session* session);

/* LOADED, PREPARED */
QUERN_EXPORT quern_status quern_input_count(quern_inference_session* session, size_t* out);
QUERN_EXPORT quern_status quern_output_count(quern_inference_session* session, size_t* out);
QUERN_EXPORT quern_status quern_input_info(quern_inference_session* session, size_t index, quern_io_info* out);
QUERN_EXPORT quern_status quern_output_info(quern_inference_session* session, size_t index, quern_io_info* out);

/* LOADED, PREPARED. Buffers of `size` bytes, for all runs that follow, also of the model that quantize or codegen makes. `dtype` is the
 * dtype of the float values, or the storage type for quantized values: each is converted to the other as the model needs it. An output
 * needs room for what the run gives; data NULL: it no longer has a buffer. Strings do not go through buffers: QUERN_UNSUPPORTED. */
QUERN_EXPORT quern_status quern_set_input(quern_inference_session* session, size_t index, quern_dtype dtype, const void* data, size_t size);
QUERN_EXPORT quern_status quern_set_output(quern_inference_session* session, size_t index, quern_dtype dtype, void* data, size_t size);
/* PREPARED. Needs all inputs; outputs without buffer are left to quern_output_data(). */
QUERN_EXPORT quern_status quern_run(quern_inference_session* session);
/* PREPARED, after a run: an output as float values of its dtype; valid until the next run or change of the model. */
QUERN_EXPORT quern_status quern_output_data(quern_inference_session* session, size_t index, const void** data, size_t* size);

/* ---- quantizing -------------------------------------------------------------------------------------------------------------------- */

typedef int32_t quern_execute_config;
enum {
    QUERN_RECORD_MINMAX = 1 /* runs record the range of every value of the float model, computed on cpu on one thread */
};
/* PREPARED. What is recorded accumulates until another model is loaded. Inputs must be finite: a run on others fails, and what it
 * recorded until then stays. */
QUERN_EXPORT quern_status quern_set_execute_config(quern_inference_session* session, quern_execute_config config);
QUERN_EXPORT quern_status quern_reset_execute_config(quern_inference_session* session);
/* LOADED, PREPARED. Runs that were recorded. */
QUERN_EXPORT quern_status quern_recorded_runs(quern_inference_session* session, uint64_t* out);
/* Any state. A type of `quern quantize --list-types`, or onert's uint8, int16, int8_wo, int16_wo. */
QUERN_EXPORT quern_status quern_set_quantization_type(quern_inference_session* session, const char* type);
/* Any state. Encodings follow the rules of a target's runtime, a name of `quern place --list-targets` or a file; where no type is set,
 * its type is taken, and one with signs stands for the one without them where it takes none, which the log says. NULL or "": none, the
 * rules are those of the file that is written. */
QUERN_EXPORT quern_status quern_set_quantization_target(quern_inference_session* session, const char* target);
/* LOADED, PREPARED. 1: the model holds encodings, so that it cannot be quantized again; else 0. */
QUERN_EXPORT quern_status quern_is_quantized(quern_inference_session* session, int32_t* out);
/* Any state. Where the quantized model goes, its format by the suffix. NULL or "": beside the source (in a package: inside) with the name
 * <stem>_quantized_<type>.circle, where types are q8, q16, q8wo, q16wo or as they are called. */
QUERN_EXPORT quern_status quern_set_quantized_model_path(quern_inference_session* session, const char* path);
/* LOADED, PREPARED -> PREPARED with the quantized model, as it is in the file. Full types need recorded runs, or ranges embedded in the
 * model. */
QUERN_EXPORT quern_status quern_quantize(quern_inference_session* session);

/* ---- generating code --------------------------------------------------------------------------------------------------------------- */

/* Any state. NULL or "": beside the source with the target's suffix. */
QUERN_EXPORT quern_status quern_set_codegen_model_path(quern_inference_session* session, const char* path);
/* Any state. An option of the generator that codegen calls (`quern codegen --list-plugins` names them), for all calls that follow; NULL or
 * "": as if it were not given. codegen refuses a name that its generator does not have. */
QUERN_EXPORT quern_status quern_set_codegen_option(quern_inference_session* session, const char* name, const char* text);
/* LOADED, PREPARED -> LOADED. `target`: a plugin of `quern codegen --list-plugins`, with or without "-gen" behind it. What was generated is
 * loaded if it can be run (contexts, models, products of back ends); else (C and C++ source) the model stays, and the log says so. */
QUERN_EXPORT quern_status quern_codegen(quern_inference_session* session, const char* target, quern_preference preference);

/* ---- all at once ------------------------------------------------------------------------------------------------------------------- */

/* Any state. Recorded runs after which quern_run_with_auto_compilation() compiles; default 10. */
QUERN_EXPORT quern_status quern_set_minmax_runs(quern_inference_session* session, uint64_t runs);
/* PREPARED -> PREPARED. As quern_run(): the first runs are recorded, if the quantization type needs it; then the model is quantized and, if
 * `target` is not NULL or "", code is generated in the background, while runs go on with the model as it was; the first run after that
 * is done uses what was made. If it fails, the next run fails with its error, and those that follow use the model as it was. Of a model
 * that is quantized already, code alone is generated; where nothing is left to make: QUERN_USAGE. */
QUERN_EXPORT quern_status quern_run_with_auto_compilation(quern_inference_session* session, const char* target,
                                                          quern_preference preference);

/* LOADED, PREPARED. The file that the session runs: the source, or what was made of it; "" for memory. */
QUERN_EXPORT quern_status quern_model_path(quern_inference_session* session, const char** out);

#ifdef __cplusplus
}
#endif
#endif
