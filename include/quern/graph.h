/* Views of graphs in plain C (C99 and newer, C++): what back ends, codegen plugins and model libraries see of a model, and the types that
 * quern's interfaces share. The interface that hands a view out says how long it is valid.
 *
 * Every structure that may grow begins with `struct_size`, the size as its maker's header has it; fields are only added at the end, and a
 * reader looks at a field only if it lies within struct_size (QUERN_HAS). Lists of such structures are lists of pointers.
 *
 * Elements of tensors are little-endian, row-major, without gaps; types below 8 bits are packed, low bits first.
 * float value = (quantized value - zero) * scale.
 */
#ifndef QUERN_GRAPH_H
#define QUERN_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is `field` of *object within what its maker knew? */
#define QUERN_HAS(object, field) \
    ((object)->struct_size >= (size_t)((const char*)&(object)->field - (const char*)(object)) + sizeof((object)->field))

/* Element types. */
typedef int32_t quern_dtype;
enum {
    QUERN_DTYPE_NONE = 0, /* not known */
    QUERN_FLOAT32 = 1,
    QUERN_FLOAT64 = 2,
    QUERN_FLOAT16 = 3,
    QUERN_BFLOAT16 = 4,
    QUERN_FLOAT8E4M3FN = 5,
    QUERN_FLOAT8E4M3FNUZ = 6,
    QUERN_FLOAT8E5M2 = 7,
    QUERN_FLOAT8E5M2FNUZ = 8,
    QUERN_FLOAT8E8M0 = 9,
    QUERN_FLOAT4E2M1 = 10,
    QUERN_INT8 = 11,
    QUERN_INT16 = 12,
    QUERN_INT32 = 13,
    QUERN_INT64 = 14,
    QUERN_UINT8 = 15,
    QUERN_UINT16 = 16,
    QUERN_UINT32 = 17,
    QUERN_UINT64 = 18,
    QUERN_INT4 = 19,
    QUERN_UINT4 = 20,
    QUERN_INT2 = 21,
    QUERN_UINT2 = 22,
    QUERN_BOOL = 23,
    QUERN_STRING = 24, /* count + 1 uint64 offsets, then the characters */
    QUERN_COMPLEX64 = 25,
    QUERN_COMPLEX128 = 26
};

typedef struct quern_text {
    const char* data; /* data[size] is 0; names may hold any bytes */
    size_t size;
} quern_text;

typedef struct quern_tensor {
    uint32_t struct_size;
    quern_dtype dtype;
    int32_t rank;
    const int64_t* dims;
    const void* data;
    size_t size; /* bytes */
} quern_tensor;

enum { QUERN_FIXED = 0, QUERN_DYNAMIC = 1 };

/* The quantization parameters of a value: how its float values are stored as integers ("codes"). */
typedef struct quern_encoding {
    uint32_t struct_size;
    int32_t kind;              /* QUERN_DYNAMIC: each run computes scale and zero from the minimum and maximum of the data, and 0 */
    quern_dtype storage;       /* of quantized values */
    quern_dtype real;          /* of float values */
    int64_t qmin, qmax;        /* quantized values are clipped to these */
    int32_t axis;              /* -1: one scale for the tensor; else one per slice along this axis (per channel) */
    int64_t block;             /* > 0: blocks of this many elements along axis, scale has the tensor's rank */
    const quern_tensor* scale; /* NULL if dynamic */
    const quern_tensor* zero;  /* NULL: 0 */
    const quern_tensor* min;   /* affine blocks: float value = quantized value * scale + min; else NULL */
} quern_encoding;

typedef struct quern_value {
    uint32_t struct_size;
    quern_text name;                /* unique in its graph */
    quern_dtype dtype;              /* of the float values, whatever the encoding */
    int32_t rank;                   /* -1: not known */
    const int64_t* dims;            /* -1: known at run time only */
    const quern_encoding* encoding; /* NULL: stored as values of dtype */
    const quern_tensor* constant;   /* quantized if there is an encoding; NULL: computed, or an input */
} quern_value;

enum {
    QUERN_ATTR_INTEGER = 0,
    QUERN_ATTR_REAL = 1,
    QUERN_ATTR_TEXT = 2,
    QUERN_ATTR_INTEGERS = 3,
    QUERN_ATTR_REALS = 4,
    QUERN_ATTR_TEXTS = 5,
    QUERN_ATTR_TENSOR = 6,
    QUERN_ATTR_TENSORS = 7,
    QUERN_ATTR_TYPE = 8 /* as text: "float32[1,3]" */
};

/* `count` elements in the list of the kind; single ones have count 1. */
typedef struct quern_attribute {
    uint32_t struct_size;
    int32_t kind;
    quern_text name;
    size_t count;
    const int64_t* integers;
    const float* reals;
    const quern_text* texts;
    const quern_tensor* const* tensors;
} quern_attribute;

typedef struct quern_graph quern_graph;

/* Operators have ONNX's names, attributes and meaning (docs/native.md); attributes that are absent have their defaults. */
typedef struct quern_node {
    uint32_t struct_size;
    quern_text name;   /* unique in its graph */
    quern_text op;     /* "Conv" */
    quern_text domain; /* "" is ai.onnx */
    quern_text scope;  /* module path in the source model, or "" */
    size_t attribute_count;
    const quern_attribute* const* attributes;
    size_t input_count;
    const quern_value* const* inputs; /* NULL: an optional input that is absent */
    size_t output_count;
    const quern_value* const* outputs;
    size_t body_count; /* of If, Loop, Scan */
    const quern_graph* const* bodies;
    const quern_text* body_names; /* their attributes: "then_branch" */
    /* To back ends and plugins: nodes of one number are one integer unit, requantized once, at its end; -1: alone. Builders: -1. */
    int32_t unit;
} quern_node;

struct quern_graph {
    uint32_t struct_size;
    quern_text name;
    size_t node_count;
    const quern_node* const* nodes; /* in an order in which they can run */
    size_t input_count;
    const quern_value* const* inputs;
    size_t output_count;
    const quern_value* const* outputs;
    size_t metadata_count;
    const quern_text* metadata_keys; /* "profile": arithmetic of integer runs, docs/numerics.md */
    const quern_text* metadata_texts;
    size_t capture_count; /* of a body: inner values that stand for values of the enclosing graph */
    const quern_value* const* captures;
    const quern_value* const* captured;
    const void* host; /* the host's own: leave it as it is */
};

#ifdef __cplusplus
}
#endif
#endif
