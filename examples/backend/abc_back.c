/* The table of abc_back: create, capabilities, compile, load, execute. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abc.h"

struct quern_backend {
    const quern_host* host;
};

struct quern_executable {
    abc_blob blob;
    abc_program* program;        /* NULL: the blob has nodes */
    quern_value* values;         /* as describe() shows them */
    quern_encoding* encodings;
    quern_tensor* tensors;       /* scale and zero of each encoding */
    const quern_value** inputs;  /* then outputs */
    quern_interface interface;
};

struct quern_session {
    const quern_executable* executable;
    abc_tensor* tensors; /* by value */
    uint64_t calls;
};

/* ---- errors: one text for each thread ---- */

static __thread char error_text[512];

quern_status abc_fail(quern_status status, const char* format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(error_text, sizeof error_text, format, list);
    va_end(list);
    return status;
}

static const char* last_error(quern_backend* backend) {
    (void)backend;
    return error_text;
}

/* ---- the back end ---- */

static quern_status create(const quern_host* host, const char* options, quern_backend** out) {
    /* Options are JSON; this back end has none. */
    if (options && *options && strcmp(options, "{}") != 0) return abc_fail(QUERN_USAGE, "has no options, got %s", options);
    *out = calloc(1, sizeof **out);
    if (!*out) return abc_fail(QUERN_IO, "out of memory");
    (*out)->host = host;
    return QUERN_OK;
}

static void destroy(quern_backend* backend) { free(backend); }

static quern_status devices(quern_backend* backend, const quern_device* const** list, size_t* count) {
    static const quern_device device = {sizeof device, "abc0", "an elementwise engine, simulated", 1 << 20, 1};
    static const quern_device* const all[] = {&device};
    (void)backend;
    *list = all;
    *count = 1;
    return QUERN_OK;
}

static int is_integer_mode(const char* options) { return options && strstr(options, "\"mode\":\"int\"") != NULL; }

static quern_status supports(quern_backend* backend, const quern_graph* graph, const quern_node* node, const char* options) {
    abc_node ignored;
    (void)backend;
    (void)graph;
    if (options && strstr(options, "\"mode\":\"fake\"")) return abc_fail(QUERN_UNSUPPORTED, "runs of mode fake");
    return abc_check_node(node, is_integer_mode(options), &ignored);
}

/* In float runs encodings are not looked at, but constants may be codes: such partitions are refused. */
static quern_status compile(quern_backend* backend, const quern_graph* graph, const char* options, const quern_sink* sink) {
    (void)backend;
    if (!is_integer_mode(options))
        for (size_t i = 0; i < graph->node_count; ++i)
            for (size_t k = 0; k < graph->nodes[i]->input_count; ++k)
                if (graph->nodes[i]->inputs[k]->constant && graph->nodes[i]->inputs[k]->encoding)
                    return abc_fail(QUERN_UNSUPPORTED, "encoded constants in a float run");
    return abc_write(graph, is_integer_mode(options), sink);
}

/* ---- executables ---- */

static void unload(quern_executable* executable) {
    if (!executable) return;
    abc_free_program(executable->program);
    free(executable->values);
    free(executable->encodings);
    free(executable->tensors);
    free(executable->inputs);
    free(executable);
}

static void describe_value(quern_executable* e, uint32_t i) {
    const abc_value* from = &e->blob.values[i];
    const quern_value value = {sizeof value, {(const char*)e->blob.bytes + from->name, from->name_size}, from->dtype, from->rank, from->dims,
                               from->storage ? &e->encodings[i] : NULL, NULL};
    const quern_tensor scale = {sizeof scale, QUERN_FLOAT32, 0, NULL, &from->scale, sizeof from->scale};
    /* The low bytes of `zero`: machines that quern runs on are little-endian. Two-byte codes have a zero point of 32 bits. */
    const int wide = from->storage == QUERN_INT16;
    const quern_tensor zero = {sizeof zero, wide ? QUERN_INT32 : from->storage, 0, NULL, &from->zero, wide ? 4 : 1};
    e->tensors[2 * i] = scale;
    e->tensors[2 * i + 1] = zero;
    const quern_encoding encoding = {sizeof encoding, QUERN_FIXED, from->storage, QUERN_FLOAT32, from->qmin, from->qmax, -1, 0,
                                     &e->tensors[2 * i], &e->tensors[2 * i + 1], NULL};
    e->encodings[i] = encoding;
    e->values[i] = value;
}

static quern_status load(quern_backend* backend, const void* bytes, size_t size, quern_executable** out) {
    (void)backend;
    quern_executable* e = calloc(1, sizeof *e);
    if (!e) return abc_fail(QUERN_IO, "out of memory");
    const quern_status status =
        abc_is_program(bytes, size) ? abc_parse(bytes, size, &e->program, &e->blob) : abc_read(bytes, size, &e->blob);
    if (status != QUERN_OK) return unload(e), status;
    const abc_header* h = e->blob.header;
    e->values = calloc(h->value_count + 1, sizeof *e->values);
    e->encodings = calloc(h->value_count + 1, sizeof *e->encodings);
    e->tensors = calloc(2 * (size_t)h->value_count + 1, sizeof *e->tensors);
    e->inputs = calloc((size_t)h->input_count + h->output_count + 1, sizeof *e->inputs);
    if (!e->values || !e->encodings || !e->tensors || !e->inputs) return unload(e), abc_fail(QUERN_IO, "out of memory");
    for (uint32_t i = 0; i < h->value_count; ++i) describe_value(e, i);
    for (uint32_t i = 0; i < h->input_count + h->output_count; ++i) e->inputs[i] = &e->values[e->blob.inputs[i]];
    const quern_interface interface = {sizeof interface, h->input_count, e->inputs, h->output_count, e->inputs + h->input_count};
    e->interface = interface;
    *out = e;
    return QUERN_OK;
}

static quern_status describe(quern_executable* executable, const quern_interface** out) {
    *out = &executable->interface;
    return QUERN_OK;
}

/* ---- sessions ---- */

static void close_session(quern_session* session) {
    if (!session) return;
    const abc_blob* blob = &session->executable->blob;
    for (uint32_t i = 0; session->tensors && i < blob->header->value_count; ++i)
        if (session->tensors[i].capacity) free(session->tensors[i].data);
    free(session->tensors);
    free(session);
}

static quern_status open_session(quern_executable* executable, const quern_session_options* options, quern_session** out) {
    (void)options; /* one thread is enough here */
    quern_session* s = calloc(1, sizeof *s);
    if (!s) return abc_fail(QUERN_IO, "out of memory");
    const abc_blob* blob = &executable->blob;
    s->executable = executable;
    s->tensors = calloc(blob->header->value_count + 1, sizeof *s->tensors);
    if (!s->tensors) return close_session(s), abc_fail(QUERN_IO, "out of memory");
    for (uint32_t i = 0; i < blob->header->value_count; ++i) {
        const abc_value* value = &blob->values[i];
        if (!value->constant) continue;
        s->tensors[i].data = (void*)(blob->bytes + value->constant); /* where it lies: capacity 0 marks memory of others */
        s->tensors[i].count = value->constant_size / abc_element_size(value);
        memcpy(s->tensors[i].dims, value->dims, sizeof value->dims);
    }
    *out = s;
    return QUERN_OK;
}

static quern_status set_input(quern_session* session, size_t index, const quern_buffer* buffer) {
    const abc_blob* blob = &session->executable->blob;
    if (index >= blob->header->input_count) return abc_fail(QUERN_USAGE, "input %u of %u", (unsigned)index, blob->header->input_count);
    const abc_value* value = &blob->values[blob->inputs[index]];
    abc_tensor* to = &session->tensors[blob->inputs[index]];
    const quern_dtype wanted = value->storage ? value->storage : value->dtype;
    if (buffer->dtype != wanted || buffer->rank != value->rank)
        return abc_fail(QUERN_BAD_INPUT, "input %u has element type %d and rank %d, need %d and %d", (unsigned)index, (int)buffer->dtype,
                        (int)buffer->rank, (int)wanted, (int)value->rank);
    size_t count = 1;
    for (int32_t i = 0; i < value->rank; ++i) {
        if (value->dims[i] >= 0 && value->dims[i] != buffer->dims[i]) return abc_fail(QUERN_BAD_INPUT, "input %u has other dims", (unsigned)index);
        to->dims[i] = buffer->dims[i];
        count *= (size_t)buffer->dims[i];
    }
    if (buffer->size != count * abc_element_size(value))
        return abc_fail(QUERN_BAD_INPUT, "input %u has %u elements, but %zu bytes", (unsigned)index, (unsigned)count, buffer->size);
    to->data = buffer->data;
    to->count = count;
    return QUERN_OK;
}

size_t abc_element_size(const abc_value* value) { return value->storage == 0 ? sizeof(float) : value->storage == QUERN_INT16 ? 2 : 1; }

float abc_number(const abc_value* value, const abc_tensor* tensor, size_t i) {
    int code = 0;
    switch (value->storage) {
        case QUERN_INT8: code = ((const int8_t*)tensor->data)[i]; break;
        case QUERN_UINT8: code = ((const uint8_t*)tensor->data)[i]; break;
        case QUERN_INT16: code = ((const int16_t*)tensor->data)[i]; break;
        default: return ((const float*)tensor->data)[i];
    }
    return (float)(code - value->zero) * value->scale;
}

/* Rounds half to even, adds the zero point, clips. */
void abc_put_number(const abc_value* value, abc_tensor* tensor, size_t i, float x) {
    if (!value->storage) {
        ((float*)tensor->data)[i] = x;
        return;
    }
    const float rounded = rintf(x / value->scale) + (float)value->zero;
    const float low = (float)value->qmin, high = (float)value->qmax;
    const int code = (int)(rounded >= low ? (rounded <= high ? rounded : high) : low);
    if (value->storage == QUERN_INT16)
        ((int16_t*)tensor->data)[i] = (int16_t)code;
    else
        ((uint8_t*)tensor->data)[i] = (uint8_t)code;
}

quern_status abc_make_room(abc_tensor* tensor, size_t count) {
    if (tensor->capacity < count + 1) {
        void* memory = realloc(tensor->capacity ? tensor->data : NULL, (count + 1) * sizeof(float));
        if (!memory) return abc_fail(QUERN_IO, "out of memory");
        tensor->data = memory;
        tensor->capacity = count + 1;
    }
    tensor->count = count;
    return QUERN_OK;
}

static quern_status run_node(quern_session* session, const abc_node* node) {
    const abc_value* values = session->executable->blob.values;
    const abc_tensor* a = &session->tensors[node->in[0]];
    const abc_tensor* b = node->in[1] == ABC_NONE ? a : &session->tensors[node->in[1]];
    abc_tensor* to = &session->tensors[node->out];
    if (!a->data || !b->data) return abc_fail(QUERN_USAGE, "an input is not set");
    if (a->count != b->count) return abc_fail(QUERN_BAD_INPUT, "operands of %u and %u elements", (unsigned)a->count, (unsigned)b->count);
    const quern_status status = abc_make_room(to, a->count);
    if (status != QUERN_OK) return status;
    memcpy(to->dims, a->dims, sizeof to->dims);
    const abc_value* vb = &values[node->in[1] == ABC_NONE ? node->in[0] : node->in[1]];
    for (size_t i = 0; i < a->count; ++i)
        abc_put_number(&values[node->out], to, i, abc_compute(node, abc_number(&values[node->in[0]], a, i), abc_number(vb, b, i)));
    return QUERN_OK;
}

static quern_status execute(quern_session* session) {
    const abc_blob* blob = &session->executable->blob;
    if (session->executable->program) {
        const quern_status status = abc_execute_program(session->executable->program, blob, session->tensors);
        if (status != QUERN_OK) return status;
    }
    for (uint32_t i = 0; i < blob->header->node_count; ++i) {
        const quern_status status = run_node(session, &blob->nodes[i]);
        if (status != QUERN_OK) return status;
    }
    ++session->calls;
    return QUERN_OK;
}

static quern_status get_output(quern_session* session, size_t index, quern_buffer* buffer) {
    const abc_blob* blob = &session->executable->blob;
    if (index >= blob->header->output_count || session->calls == 0) return abc_fail(QUERN_USAGE, "output %u is not there", (unsigned)index);
    const abc_value* value = &blob->values[blob->outputs[index]];
    const abc_tensor* tensor = &session->tensors[blob->outputs[index]];
    const quern_buffer out = {buffer->struct_size, value->storage ? value->storage : value->dtype, value->rank, tensor->dims, tensor->data,
                              tensor->count * abc_element_size(value), NULL};
    memcpy(buffer, &out, buffer->struct_size < sizeof out ? buffer->struct_size : sizeof out);
    return QUERN_OK;
}

/* ---- the table ---- */

QUERN_EXPORT const quern_backend_api* quern_backend_entry(uint32_t abi);

const quern_backend_api* quern_backend_entry(uint32_t abi) {
    static quern_backend_api table;
    if (abi != QUERN_BACKEND_ABI) return NULL;
    table.struct_size = sizeof table;
    table.abi = QUERN_BACKEND_ABI;
    table.name = "abc_back";
    table.version = "1.1";
    table.doc = "example: elementwise operators, and programs of the plugin abc";
    table.create = create;
    table.destroy = destroy;
    table.last_error = last_error;
    table.devices = devices;
    table.supports = supports;
    table.compile = compile;
    table.load = load;
    table.unload = unload;
    table.describe = describe;
    table.open = open_session;
    table.close = close_session;
    table.set_input = set_input;
    table.execute = execute;
    table.get_output = get_output;
    table.op_count = abc_op_count;
    table.ops = abc_ops;
    return &table;
}
