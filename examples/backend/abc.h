/* abc_back: an example back end for elementwise operators, and for programs of the codegen plugin abc. It shows every function that a back
 * end needs; see docs/backend.md. */
#ifndef ABC_H
#define ABC_H

#include <quern/backend.h>

enum { ABC_RELU, ABC_NEG, ABC_ADD, ABC_MUL, ABC_LEAKY };
enum { ABC_MAX_RANK = 8 };
#define ABC_NONE 0xffffffffu

/* A blob: header, values, nodes, inputs, outputs (uint32 each), then names and constants. Offsets count from the blob's beginning. */
typedef struct {
    char magic[8]; /* "ABCBLOB1" */
    uint32_t value_count, node_count, input_count, output_count;
    uint64_t size; /* of the blob */
} abc_header;

typedef struct {
    uint64_t name, name_size;
    uint64_t constant, constant_size; /* 0, 0: computed or an input */
    int64_t dims[ABC_MAX_RANK];
    int32_t dtype, rank;
    int32_t storage; /* 0: no codes */
    int32_t zero;
    int64_t qmin, qmax;
    float scale;
    int32_t reserved;
} abc_value;

typedef struct {
    uint32_t op;
    uint32_t in[2], out;
    float slope;
    uint32_t reserved;
} abc_node;

typedef struct {
    const unsigned char* bytes;
    const abc_header* header;
    const abc_value* values;
    const abc_node* nodes;
    const uint32_t* inputs;
    const uint32_t* outputs;
} abc_blob;

/* abc_blob.c. Functions give a quern_status and on failure set the text of abc_error(). */
quern_status abc_write(const quern_graph* graph, int integer, const quern_sink* sink);
quern_status abc_read(const void* bytes, size_t size, abc_blob* out);

/* A value of one run: floats, or codes of one or two bytes. */
typedef struct {
    void* data;
    size_t count, capacity;
    int64_t dims[ABC_MAX_RANK];
} abc_tensor;

/* abc_program.c: programs that the codegen plugin abc writes (examples/plugin/abc_gen.h). */
typedef struct abc_program abc_program;
int abc_is_program(const void* bytes, size_t size);
/* Ports are the values, inputs and outputs of `ports`, which has no nodes. */
quern_status abc_parse(const void* bytes, size_t size, abc_program** out, abc_blob* ports);
void abc_free_program(abc_program* program);

/* abc_machine.c: runs programs. Tensors are those of the ports. */
quern_status abc_check_program(const abc_program* program);
quern_status abc_execute_program(const abc_program* program, const abc_blob* ports, abc_tensor* tensors);

/* abc_back.c: elements of a value, by its storage. */
size_t abc_element_size(const abc_value* value);
float abc_number(const abc_value* value, const abc_tensor* tensor, size_t i);
void abc_put_number(const abc_value* value, abc_tensor* tensor, size_t i, float x);
quern_status abc_make_room(abc_tensor* tensor, size_t count);

/* abc_ops.c */
quern_status abc_check_node(const quern_node* node, int integer, abc_node* out); /* without in and out */
float abc_compute(const abc_node* node, float a, float b);
extern const quern_custom_op* const abc_ops[];
extern const size_t abc_op_count;

/* abc_back.c: keeps a text for last_error() and gives `status` back. */
quern_status abc_fail(quern_status status, const char* format, ...);

#endif
