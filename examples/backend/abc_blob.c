/* Writing and reading abc_back's blobs. What is read is not trusted: every offset and count is checked before it is used. */
#include <stdlib.h>
#include <string.h>

#include "abc.h"

/* ---- writing ---- */

typedef struct {
    const quern_value** seen;
    abc_value* values;
    size_t count;
    int integer; /* encodings count */
} value_list;

static uint32_t index_of(value_list* list, const quern_value* value) {
    for (size_t i = 0; i < list->count; ++i)
        if (list->seen[i] == value) return (uint32_t)i;
    abc_value* out = &list->values[list->count];
    memset(out, 0, sizeof *out);
    out->dtype = value->dtype;
    out->rank = value->rank;
    for (int32_t i = 0; i < value->rank; ++i) out->dims[i] = value->dims[i];
    out->name_size = value->name.size;
    if (value->constant) out->constant_size = value->constant->size;
    const quern_encoding* e = list->integer ? value->encoding : NULL;
    if (e) {
        out->storage = e->storage;
        out->qmin = e->qmin;
        out->qmax = e->qmax;
        memcpy(&out->scale, e->scale->data, sizeof out->scale);
        if (e->zero) out->zero = e->storage == QUERN_INT8 ? *(const int8_t*)e->zero->data : *(const uint8_t*)e->zero->data;
    }
    list->seen[list->count] = value;
    return (uint32_t)list->count++;
}

static quern_status put(const quern_sink* sink, const void* data, size_t size) { return size ? sink->write(sink, data, size) : QUERN_OK; }

static quern_status pad(const quern_sink* sink, uint64_t from, uint64_t to) {
    static const char zeros[64];
    return put(sink, zeros, (size_t)(to - from));
}

static uint64_t aligned(uint64_t offset) { return (offset + 63) / 64 * 64; }

static quern_status write_all(const quern_graph* graph, const quern_sink* sink, value_list* list, abc_node* nodes, uint32_t* ends) {
    for (size_t i = 0; i < graph->input_count; ++i) ends[i] = index_of(list, graph->inputs[i]);
    for (size_t i = 0; i < graph->node_count; ++i) {
        const quern_node* node = graph->nodes[i];
        const quern_status status = abc_check_node(node, list->integer, &nodes[i]);
        if (status != QUERN_OK) return status;
        nodes[i].in[0] = index_of(list, node->inputs[0]);
        nodes[i].in[1] = node->input_count > 1 ? index_of(list, node->inputs[1]) : ABC_NONE;
        nodes[i].out = index_of(list, node->outputs[0]);
    }
    for (size_t i = 0; i < graph->output_count; ++i) ends[graph->input_count + i] = index_of(list, graph->outputs[i]);

    const size_t end_count = graph->input_count + graph->output_count;
    abc_header header = {"ABCBLOB", (uint32_t)list->count, (uint32_t)graph->node_count, (uint32_t)graph->input_count,
                         (uint32_t)graph->output_count, 0};
    header.magic[7] = '1';
    uint64_t at = sizeof header + list->count * sizeof(abc_value) + graph->node_count * sizeof(abc_node) + end_count * 4;
    for (size_t i = 0; i < list->count; ++i) {
        list->values[i].name = at;
        at += list->values[i].name_size + 1;
    }
    const uint64_t names_end = at;
    for (size_t i = 0; i < list->count; ++i) {
        if (!list->seen[i]->constant) continue;
        list->values[i].constant = at = aligned(at);
        at += list->values[i].constant_size;
    }
    header.size = at;

    quern_status status = put(sink, &header, sizeof header);
    if (!status) status = put(sink, list->values, list->count * sizeof(abc_value));
    if (!status) status = put(sink, nodes, graph->node_count * sizeof(abc_node));
    if (!status) status = put(sink, ends, end_count * 4);
    for (size_t i = 0; !status && i < list->count; ++i) status = put(sink, list->seen[i]->name.data, list->seen[i]->name.size + 1);
    at = names_end;
    for (size_t i = 0; !status && i < list->count; ++i) {
        if (!list->seen[i]->constant) continue;
        status = pad(sink, at, list->values[i].constant);
        if (!status) status = put(sink, list->seen[i]->constant->data, list->seen[i]->constant->size);
        at = list->values[i].constant + list->values[i].constant_size;
    }
    return status;
}

quern_status abc_write(const quern_graph* graph, int integer, const quern_sink* sink) {
    const size_t most = graph->input_count + graph->output_count + 3 * graph->node_count + 1;
    value_list list = {malloc(most * sizeof(quern_value*)), malloc(most * sizeof(abc_value)), 0, integer};
    abc_node* nodes = malloc((graph->node_count + 1) * sizeof *nodes);
    uint32_t* ends = malloc(most * sizeof *ends);
    const quern_status status = list.seen && list.values && nodes && ends ? write_all(graph, sink, &list, nodes, ends)
                                                                           : abc_fail(QUERN_IO, "out of memory");
    free(list.seen);
    free(list.values);
    free(nodes);
    free(ends);
    return status;
}

/* ---- reading ---- */

static int inside(uint64_t offset, uint64_t size, uint64_t whole) { return offset <= whole && size <= whole - offset; }

static int good_value(const abc_value* v, const unsigned char* bytes, uint64_t size) {
    if (v->rank < 0 || v->rank > ABC_MAX_RANK || v->dtype != QUERN_FLOAT32) return 0;
    if (v->storage != 0 && v->storage != QUERN_INT8 && v->storage != QUERN_UINT8) return 0;
    if (!inside(v->name, v->name_size, size - 1) || bytes[v->name + v->name_size] != 0) return 0;
    if (!inside(v->constant, v->constant_size, size) || v->constant % 64 != 0) return 0;
    uint64_t count = 1;
    for (int32_t i = 0; i < v->rank; ++i) {
        if (v->dims[i] < -1 || v->dims[i] > 0x7fffffff) return 0;
        count *= v->dims[i] < 0 ? 1 : (uint64_t)v->dims[i];
        if (count > 0x7fffffff) return 0;
    }
    return v->constant == 0 || v->constant_size == count * (v->storage ? 1 : sizeof(float));
}

quern_status abc_read(const void* data, size_t size, abc_blob* out) {
    const unsigned char* bytes = data;
    const abc_header* header = data;
    if (size < sizeof *header || memcmp(header->magic, "ABCBLOB1", 8) != 0 || header->size != size)
        return abc_fail(QUERN_BAD_INPUT, "is no blob of abc_back");
    const uint64_t values = sizeof *header, nodes = values + (uint64_t)header->value_count * sizeof(abc_value),
                   inputs = nodes + (uint64_t)header->node_count * sizeof(abc_node), outputs = inputs + 4 * (uint64_t)header->input_count,
                   end = outputs + 4 * (uint64_t)header->output_count;
    if (end > size) return abc_fail(QUERN_BAD_INPUT, "is cut off");
    out->bytes = bytes;
    out->header = header;
    out->values = (const abc_value*)(bytes + values);
    out->nodes = (const abc_node*)(bytes + nodes);
    out->inputs = (const uint32_t*)(bytes + inputs);
    out->outputs = (const uint32_t*)(bytes + outputs);
    for (uint32_t i = 0; i < header->value_count; ++i)
        if (!good_value(&out->values[i], bytes, size)) return abc_fail(QUERN_BAD_INPUT, "value %u is broken", i);
    for (uint32_t i = 0; i < header->node_count; ++i) {
        const abc_node* node = &out->nodes[i];
        const int two = node->op == ABC_ADD || node->op == ABC_MUL;
        if (node->op > ABC_LEAKY || node->in[0] >= header->value_count || node->out >= header->value_count ||
            (two ? node->in[1] >= header->value_count : node->in[1] != ABC_NONE) || out->values[node->out].constant)
            return abc_fail(QUERN_BAD_INPUT, "node %u is broken", i);
    }
    for (uint32_t i = 0; i < header->input_count + header->output_count; ++i)
        if (out->inputs[i] >= header->value_count) return abc_fail(QUERN_BAD_INPUT, "input or output %u is broken", i);
    return QUERN_OK;
}
