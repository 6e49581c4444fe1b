/* quern's back-end interface, version 1: plain C (C99 and newer, C++), for authors of back ends. docs/backend.md is the guide; graph.h has
 * the views of graphs.
 *
 * A back end is a shared library libquern_<name>.so that exports one function, `quern_backend_entry`, which returns its table. Rules:
 *
 * Versions   Every structure begins with `struct_size`: the size as its maker's header has it. A reader looks at a field only if it lies
 *            within struct_size (QUERN_HAS). Fields are only added at the end, NULL or 0 meaning what their absence meant. What does not
 *            fit that way changes QUERN_BACKEND_ABI, and tables of another number are refused.
 * Output     What is printed on standard output goes to standard error: standard output is the product's. Nothing calls exit().
 * Errors     Functions return a quern_status; its numbers are quern's exit codes. last_error() then tells what was wrong, in one line
 *            of UTF-8: place, got, want. No C++ exception may leave a function on either side.
 * Memory     Memory is freed by the side that allocated it. What a caller passes in is valid until the function returns unless its
 *            comment says longer; what a function hands out is valid until its object is freed unless its comment says shorter. Views
 *            (quern_graph and below) must not be retained.
 * Alignment  Blobs begin at a multiple of 64 bytes. Data of constants, buffers and outputs begins at a multiple of 64 bytes where the
 *            host allocates, and at a multiple of the element size (16 is preferred) where the back end does.
 * Threads    Any function may be called on any thread. Calls on one quern_session never overlap; others may, also on one quern_backend
 *            or one quern_executable, but its create, destroy and unload, which are alone.
 * Processes  Questions (devices, supports, compile) are asked in a child process with an instance of its own each time, so that a crash
 *            there is an error message. quern's tools also execute in a helper process - entry, create, load, open and so on - unless
 *            they are told --in-process; a program that uses libquern executes in itself. Nothing may rely on memory that a call left
 *            behind in another process.
 * Data       As graph.h says.
 */
#ifndef QUERN_BACKEND_H
#define QUERN_BACKEND_H

#include "graph.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QUERN_BACKEND_ABI 1u
#define QUERN_BACKEND_ENTRY "quern_backend_entry"
#define QUERN_OP_PACKAGE_ENTRY "quern_op_package_entry"

#if defined(__GNUC__)
#define QUERN_EXPORT __attribute__((visibility("default")))
#else
#define QUERN_EXPORT
#endif

typedef int32_t quern_status;
enum {
    QUERN_OK = 0,
    QUERN_TIMEOUT = 1,     /* wait(): not finished yet */
    QUERN_USAGE = 2,       /* an option or argument is wrong, or a call comes at the wrong time */
    QUERN_BAD_INPUT = 3,   /* a blob, graph or buffer is broken or does not fit */
    QUERN_UNSUPPORTED = 4, /* well-formed, but not supported by this back end; supports(): no, and last_error() is the reason */
    QUERN_IO = 5,          /* the system refused memory, files or the device */
    QUERN_INTERNAL = 70    /* a fault of the back end */
};

/* ---- what the host offers ---------------------------------------------------------------------------------------------------------- */

/* Takes bytes in order, in as many pieces as its caller likes. A status other than QUERN_OK is to be returned by the caller. */
typedef struct quern_sink {
    uint32_t struct_size;
    void* self;
    quern_status (*write)(const struct quern_sink* sink, const void* data, size_t size);
} quern_sink;

enum { QUERN_LOG_ERROR = 0, QUERN_LOG_WARNING = 1, QUERN_LOG_INFO = 2 };

/* Valid until destroy(). Its functions may be called on any thread. */
typedef struct quern_host {
    uint32_t struct_size;
    uint32_t abi;
    const char* version; /* of quern */
    void* self;
    void (*log)(const struct quern_host* host, int32_t level, const char* text);
    /* A graph that compile() or supports() was given, as a model in quern's native format (docs/native.md). */
    quern_status (*serialize)(const struct quern_host* host, const quern_graph* graph, const quern_sink* sink);
} quern_host;

/* ---- what a back end is asked for -------------------------------------------------------------------------------------------------- */

typedef struct quern_device {
    uint32_t struct_size;
    const char* name; /* what a user gives as option "device" of create(), if there are several */
    const char* doc;
    uint64_t memory_bytes; /* 0: not known */
    int32_t simulated;     /* 1: results as the device's, times not */
} quern_device;

/* Memory of one tensor. For a value with a fixed encoding in an integer run the elements are quantized values and dtype is the storage
 * type; else float values of the value's dtype. With a dynamic encoding they are quantized, too, and `grid` has scale and zero point. */
typedef struct quern_buffer {
    uint32_t struct_size;
    quern_dtype dtype;
    int32_t rank;
    const int64_t* dims;
    void* data;                 /* of an input: is only read */
    size_t size;                /* bytes */
    const quern_encoding* grid; /* dynamic encodings only, else NULL */
} quern_buffer;

typedef struct quern_interface {
    uint32_t struct_size;
    size_t input_count;
    const quern_value* const* inputs; /* without constants */
    size_t output_count;
    const quern_value* const* outputs;
} quern_interface;

typedef struct quern_session_options {
    uint32_t struct_size;
    int32_t threads; /* at most, the caller's included; 1: only the caller's */
    int32_t profile; /* 1: profile() will be asked for */
} quern_session_options;

typedef struct quern_choice {
    uint32_t struct_size;
    const char* node;
    const char* op;
    const char* detail;  /* which kernel, unit or engine */
    const char* reasons; /* why better ones refused; may be "" */
    const char* real;    /* integer runs: why it dequantizes and computes in float; "" where it does not */
} quern_choice;

typedef struct quern_profile_event {
    uint32_t struct_size;
    const char* node;   /* name, or "" for what belongs to no node */
    const char* op;     /* "Conv", or what was done: "transfer" */
    const char* detail; /* which kernel, unit or engine; may be "" */
    double seconds;     /* summed over calls */
    uint64_t calls;     /* since the session was opened */
} quern_profile_event;

/* ---- operators of a back end's own ------------------------------------------------------------------------------------------------- */

enum {
    QUERN_QUANT_KEEP_FLOAT = 0,    /* never quantized */
    QUERN_QUANT_OWN = 1,           /* each activation has parameters of its own */
    QUERN_QUANT_SAME_AS_INPUT = 2, /* the output shares those of input 0 */
    QUERN_QUANT_ALL_SAME = 3,      /* activations and output share one set */
    QUERN_QUANT_FIXED = 4          /* the output's range is [lo, hi] */
};

typedef struct quern_quant_rule {
    int32_t kind;
    uint32_t activations; /* bit i: input i is an activation */
    int32_t weight;       /* input index of the weight, -1: none */
    int32_t weight_axis;  /* its output-channel axis */
    int32_t bias;         /* input index of the int32 bias, -1: none */
    float lo, hi;
} quern_quant_rule;

typedef struct quern_attribute_def {
    uint32_t struct_size;
    const char* name;
    int32_t kind;
    const char* fallback; /* the default as text, NULL: none */
    int32_t required;
} quern_attribute_def;

/* Types and shapes of a node's outputs. Inputs' types and constants are in `node`. */
typedef struct quern_infer {
    uint32_t struct_size;
    void* self;
    const quern_node* node;
    /* rank -1: not known, dim -1: not known */
    quern_status (*set_output)(const struct quern_infer* infer, size_t index, quern_dtype dtype, int32_t rank, const int64_t* dims);
    /* Says what is wrong; the caller then returns a status other than QUERN_OK. */
    void (*fail)(const struct quern_infer* infer, const char* text);
} quern_infer;

typedef struct quern_eval {
    uint32_t struct_size;
    void* self;
    const quern_node* node; /* attributes and names; types as inferred */
    size_t input_count;
    const quern_buffer* const* inputs; /* NULL: absent */
    size_t output_count;
    /* eval_codes: the encodings of quantized values, NULL where plain. eval: all NULL. */
    const quern_encoding* const* input_encodings;
    const quern_encoding* const* output_encodings;
    /* Memory for output `index`, 64-byte aligned, not initialised, the host's; NULL: there is none, return QUERN_IO. */
    void* (*output)(const struct quern_eval* eval, size_t index, quern_dtype dtype, int32_t rank, const int64_t* dims);
    void (*fail)(const struct quern_eval* eval, const char* text);
} quern_eval;

typedef struct quern_custom_op {
    uint32_t struct_size;
    const char* name;
    const char* domain; /* not "" and not one of quern's own: "com.example" */
    const char* doc;    /* one line */
    int32_t in_min, in_max, out_min, out_max;
    size_t attribute_count;
    const quern_attribute_def* const* attributes;
    quern_quant_rule quant;
    quern_status (*infer)(const quern_infer* infer);
    quern_status (*eval)(const quern_eval* eval); /* the reference, on float values */
    /* The same on quantized values, bit for bit what the device computes; NULL: eval on the dequantized values. */
    quern_status (*eval_codes)(const quern_eval* eval);
} quern_custom_op;

/* A library with operators only (--op-package) exports quern_op_package_entry. */
typedef struct quern_op_package {
    uint32_t struct_size;
    uint32_t abi;
    const char* name;
    size_t op_count;
    const quern_custom_op* const* ops;
} quern_op_package;

/* ---- the table --------------------------------------------------------------------------------------------------------------------- */

typedef struct quern_backend quern_backend;       /* the back end's own */
typedef struct quern_executable quern_executable; /* a loaded blob; never changes */
typedef struct quern_session quern_session;       /* state and memory of one caller of an executable */

/* All functions are required but those marked optional, which may be NULL.
 *
 * Options are JSON objects, "" for none. Unknown members are an error (QUERN_USAGE) in create(), and are ignored in compile() and
 * supports(), whose options are the host's: {"mode": "float" | "fake" | "int", "profile": "onnx" | ..., "reference": true | false}, and
 * where compile() is for another machine than this one, which will load the blob, "isa": "base" | "avx2" | "avx512" | "aarch64". */
typedef struct quern_backend_api {
    uint32_t struct_size;
    uint32_t abi;        /* QUERN_BACKEND_ABI */
    const char* name;    /* of libquern_<name>.so */
    const char* version; /* goes into caches: change it when equal inputs give other blobs or results */
    const char* doc;     /* one line */

    /* Options are the user's, e.g. {"device": "npu1", "config_file": "x.json"}. */
    quern_status (*create)(const quern_host* host, const char* options, quern_backend** out);
    void (*destroy)(quern_backend* backend);
    /* Of the last function that failed on the calling thread, valid until the next call on it; NULL backend: of create(). */
    const char* (*last_error)(quern_backend* backend);

    /* The devices that are present. */
    quern_status (*devices)(quern_backend* backend, const quern_device* const** list, size_t* count);

    /* Can this node of this graph run here, with its shapes, attributes and encodings? */
    quern_status (*supports)(quern_backend* backend, const quern_graph* graph, const quern_node* node, const char* options);
    /* Optional: can the partition as a whole, whose nodes were all taken? */
    quern_status (*supports_graph)(quern_backend* backend, const quern_graph* graph, const char* options);

    /* Writes the partition in a form of the back end's own to `sink`. Equal arguments give equal bytes. */
    quern_status (*compile)(quern_backend* backend, const quern_graph* graph, const char* options, const quern_sink* sink);

    /* The blob stays as it is, where it is, until unload(): nothing need be copied. It may come from a file and is not to be trusted. */
    quern_status (*load)(quern_backend* backend, const void* blob, size_t size, quern_executable** out);
    /* Optional: for back ends that map files themselves. Without it the host maps the file and calls load(). */
    quern_status (*load_file)(quern_backend* backend, const char* path, quern_executable** out);
    void (*unload)(quern_executable* executable); /* after its sessions are closed */
    quern_status (*describe)(quern_executable* executable, const quern_interface** out);

    quern_status (*open)(quern_executable* executable, const quern_session_options* options, quern_session** out);
    void (*close)(quern_session* session);
    /* The data is read by the executions that follow: it stays valid and unchanged until another is set or the session is closed. */
    quern_status (*set_input)(quern_session* session, size_t index, const quern_buffer* buffer);
    /* Optional: where the output is to be written, and get_output() then shows it. The host calls it before each execution, for outputs of
     * known size with memory of its own, for others with data NULL: the back end's memory. Too small a buffer is QUERN_BAD_INPUT at
     * execute(). Without this function the host copies from get_output(). */
    quern_status (*set_output)(quern_session* session, size_t index, const quern_buffer* buffer);
    quern_status (*execute)(quern_session* session);
    /* Optional, both or none: the same without waiting. Between them nothing else is called on the session but close(), which waits.
     * wait() returns QUERN_TIMEOUT when `seconds` have passed (negative: no limit), or else what execute() would have returned. */
    quern_status (*start)(quern_session* session);
    quern_status (*wait)(quern_session* session, double seconds);
    /* Fills *buffer (its struct_size is set by the caller). Valid until the next execution. */
    quern_status (*get_output)(quern_session* session, size_t index, quern_buffer* buffer);
    /* Optional. Valid until the next call on the session. */
    quern_status (*profile)(quern_session* session, const quern_profile_event* const** events, size_t* count);

    /* Optional: what runs each node and why better ones do not. */
    quern_status (*explain)(quern_executable* executable, const quern_choice* const** choices, size_t* count);
    /* Optional: memory that a session holds for tensors. */
    uint64_t (*memory_bytes)(quern_session* session);

    /* Operators of the back end's own domain; 0 and NULL if none. */
    size_t op_count;
    const quern_custom_op* const* ops;

    /* Optional, both or none: values that stay on the device from one partition to the next. The input is from now on what `from`, another
     * session of this back end, has as that output after its last execution, which the host lets end before: set_input() is not called for
     * it any more. Once either session is closed the other is not executed again. QUERN_UNSUPPORTED: it comes by set_input(), as ever. */
    quern_status (*link_input)(quern_session* session, size_t index, quern_session* from, size_t output);
    /* From now on linked inputs alone read the output: set_output() and get_output() are not called for it. */
    quern_status (*keep_output)(quern_session* session, size_t index);
} quern_backend_api;

/* `abi` is the host's QUERN_BACKEND_ABI. The table lives as long as the library; NULL: this abi is not supported. */
typedef const quern_backend_api* (*quern_backend_entry_fn)(uint32_t abi);
typedef const quern_op_package* (*quern_op_package_entry_fn)(uint32_t abi);

#ifdef __cplusplus
}
#endif
#endif
