/* The plugin's table, and how programs are written: see abc_gen.h. */
#include "abc_gen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const quern_host* host, int32_t level, const char* format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    host->log(host, level, text);
}

void abc_fail(abc_program* p, const quern_node* node, const char* why) {
    if (p->status != QUERN_OK) return;
    say(p->host, QUERN_LOG_ERROR, "node \"%s\" (%s): %s", node->name.data, node->op.data, why);
    p->status = QUERN_UNSUPPORTED;
}

/* ---- output ---- */

static void put_bytes(abc_program* p, const void* data, size_t size) {
    if (p->status == QUERN_OK) p->status = p->request->sink->write(p->request->sink, data, size);
}

static void put(abc_program* p, const char* format, ...) {
    char text[160];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    put_bytes(p, text, strlen(text));
}

static void put_hex_byte(abc_program* p, unsigned char byte) {
    static const char digits[] = "0123456789abcdef";
    const char pair[2] = {digits[byte >> 4], digits[byte & 15]};
    put_bytes(p, pair, 2);
}

/* Names may hold any bytes: what is not a letter, digit, '_', '.' or '/' becomes %XX. */
static void put_name(abc_program* p, quern_text name) {
    for (size_t i = 0; i < name.size; ++i) {
        const char c = name.data[i];
        const int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/';
        if (plain)
            put_bytes(p, &c, 1);
        else
            put_bytes(p, "%", 1), put_hex_byte(p, (unsigned char)c);
    }
}

static double number(const quern_tensor* tensor, size_t i) {
    switch (tensor->dtype) {
        case QUERN_FLOAT32: return ((const float*)tensor->data)[i];
        case QUERN_INT8: return ((const int8_t*)tensor->data)[i];
        case QUERN_UINT8: return ((const uint8_t*)tensor->data)[i];
        case QUERN_INT16: return ((const int16_t*)tensor->data)[i];
        case QUERN_INT32: return ((const int32_t*)tensor->data)[i];
        case QUERN_INT64: return (double)((const int64_t*)tensor->data)[i];
        default: return 0;
    }
}

static size_t count_of(const quern_tensor* tensor) {
    size_t count = 1;
    for (int32_t i = 0; i < tensor->rank; ++i) count *= (size_t)tensor->dims[i];
    return count;
}

/* Is it of a kind that the machine has? One scale, or one for each slice of an axis. */
static int plain_encoding(const quern_encoding* e) {
    return e->kind == QUERN_FIXED && e->block == 0 && !e->min && e->scale && e->scale->dtype == QUERN_FLOAT32;
}

static void put_encoding(abc_program* p, const quern_encoding* e) {
    if (e->axis >= 0) put(p, " axis=%" PRId32, e->axis);
    for (size_t i = 0; i < count_of(e->scale); ++i) put(p, "%s%.9g", i ? "," : " scale=", number(e->scale, i));
    for (size_t i = 0; i < count_of(e->scale); ++i) put(p, "%s%.0f", i ? "," : " zero=", e->zero ? number(e->zero, i) : 0.0);
    put(p, " qmin=%" PRId64 " qmax=%" PRId64, e->qmin, e->qmax);
}

static const char* type_name(quern_dtype dtype) {
    switch (dtype) {
        case QUERN_FLOAT32: return "float32";
        case QUERN_INT8: return "int8";
        case QUERN_UINT8: return "uint8";
        case QUERN_INT16: return "int16";
        case QUERN_INT32: return "int32";
        case QUERN_INT64: return "int64";
        default: return NULL;
    }
}

static void put_value(abc_program* p, const char* word, const quern_value* value, size_t number) {
    const quern_encoding* e = value->encoding;
    const char* type = type_name(e ? e->storage : value->dtype);
    const char* wrong = !type ? "its type is none of the machine's" : value->rank < 0 ? "its rank is not known" : NULL;
    if (value->rank > ABC_MAX_RANK) wrong = "its rank is above 8";
    if (e && !plain_encoding(e)) wrong = "its encoding is none of the machine's";
    for (int32_t i = 0; !wrong && i < value->rank; ++i)
        if (value->dims[i] < 0) wrong = "its shape is not fixed";
    if (wrong && p->status == QUERN_OK) {
        say(p->host, QUERN_LOG_ERROR, "value \"%s\": %s", value->name.data, wrong);
        p->status = QUERN_UNSUPPORTED;
    }
    if (p->status != QUERN_OK) return;
    put(p, "%s %%%zu %s ", word, number, type);
    for (int32_t i = 0; i < value->rank; ++i) put(p, "%s%" PRId64, i ? "x" : "", value->dims[i]);
    if (value->rank == 0) put(p, "scalar");
    if (!value->constant || p->request->preference != QUERN_PREFER_SIZE) put(p, " name="), put_name(p, value->name);
    if (e) put_encoding(p, e);
    if (value->constant && !p->strip) {
        put(p, " hex=");
        for (size_t i = 0; i < value->constant->size; ++i) put_hex_byte(p, ((const unsigned char*)value->constant->data)[i]);
    }
    put(p, "\n");
}

/* ---- registers ---- */

static size_t take(abc_program* p, const quern_value* value) {
    if (p->count == p->capacity) {
        const size_t capacity = p->capacity ? 2 * p->capacity : 64;
        const quern_value** grown = realloc(p->values, capacity * sizeof *grown);
        if (!grown) {
            p->status = QUERN_IO;
            return 0;
        }
        p->values = grown;
        p->capacity = capacity;
    }
    p->values[p->count] = value;
    return p->count++;
}

size_t abc_scratch(abc_program* p) { return take(p, NULL); }

/* Values are few: a plain search will do. */
size_t abc_register(abc_program* p, const quern_value* value) {
    for (size_t i = 0; i < p->count; ++i)
        if (p->values[i] == value) return i;
    const size_t number = take(p, value);
    if (value->constant) put_value(p, "const", value, number);
    return number;
}

int64_t abc_count(const quern_value* value) {
    int64_t count = 1;
    for (int32_t i = 0; i < value->rank; ++i) count *= value->dims[i];
    return count;
}

/* ---- instructions ---- */

void abc_fill(abc_program* p, size_t to, int64_t count, double x) {
    ++p->instructions;
    put(p, "fill %%%zu %" PRId64 " %g\n", to, count, x);
}

/* Loops of one turn are left out, and a loop that goes on where the one inside ends is joined with it. */
void abc_loop(abc_nest* nest, int64_t turns, int64_t out, int64_t a, int64_t b) {
    if (turns == 1 || nest->count == ABC_MAX_LOOPS) return;
    const size_t last = nest->count - 1;
    if (nest->count > 0 && nest->step[0][last] == out * turns && nest->step[1][last] == a * turns && nest->step[2][last] == b * turns)
        nest->turns[last] *= turns;
    else
        nest->turns[nest->count++] = turns;
    nest->step[0][nest->count - 1] = out;
    nest->step[1][nest->count - 1] = a;
    nest->step[2][nest->count - 1] = b;
}

void abc_run(abc_program* p, const char* gather, const char* op, size_t out, size_t a, size_t b, const abc_nest* nest) {
    ++p->instructions;
    put(p, "nest %s %s %%%zu %%%zu %%%zu %" PRId64 ":%" PRId64 ":%" PRId64, gather, op, out, a, b, nest->begin[0], nest->begin[1], nest->begin[2]);
    for (size_t i = 0; i < nest->count; ++i)
        put(p, " %" PRId64 ":%" PRId64 ":%" PRId64 ":%" PRId64, nest->turns[i], nest->step[0][i], nest->step[1][i], nest->step[2][i]);
    put(p, p->request->preference == QUERN_PREFER_SPEED ? " prefetch\n" : "\n");
}

void abc_map(abc_program* p, const char* what, size_t to) {
    ++p->instructions;
    put(p, "map %s %%%zu\n", what, to);
}

/* Codes are made once for each unit, at its end. */
static void round_output(abc_program* p, const quern_graph* graph, size_t index) {
    const quern_node* node = graph->nodes[index];
    const quern_encoding* e = node->outputs[0]->encoding;
    for (size_t i = index + 1; node->unit >= 0 && i < graph->node_count; ++i)
        if (graph->nodes[i]->unit == node->unit) return;
    if (!e) return;
    if (!plain_encoding(e) || e->axis >= 0) return abc_fail(p, node, "its output has an encoding that is none of the machine's");
    ++p->instructions;
    put(p, "map round %%%zu %.9g %.0f %" PRId64 " %" PRId64 "\n", abc_register(p, node->outputs[0]), number(e->scale, 0),
        e->zero ? number(e->zero, 0) : 0.0, e->qmin, e->qmax);
}

static void put_ends(abc_program* p, const char* word, size_t count, const quern_value* const* values) {
    for (size_t i = 0; i < count && p->status == QUERN_OK; ++i) put_value(p, word, values[i], abc_register(p, values[i]));
}

/* Every value that instructions speak of has a known shape of few dims. */
static void check_node(abc_program* p, const quern_node* node) {
    for (size_t i = 0; i < node->input_count + node->output_count; ++i) {
        const quern_value* value = i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count];
        if (!value) continue;
        int known = value->rank >= 0 && value->rank <= ABC_MAX_RANK;
        for (int32_t d = 0; known && d < value->rank; ++d) known = value->dims[d] >= 0;
        if (!known) abc_fail(p, node, "shapes must be fixed, of at most 8 dims");
    }
}

static quern_status generate(const quern_host* host, const quern_codegen_request* request) {
    abc_program program = {host, request, NULL, 0, 0, 0, 0, QUERN_OK};
    abc_program* p = &program;
    const quern_graph* graph = request->graph;
    for (size_t i = 0; i < request->setting_count; ++i) {
        const quern_setting* setting = request->settings[i];
        p->strip = strcmp(setting->text, "yes") == 0;
        if (!p->strip && strcmp(setting->text, "no") != 0) {
            say(host, QUERN_LOG_ERROR, "option %s=%s: need yes or no", setting->name, setting->text);
            return QUERN_USAGE;
        }
    }
    if (p->strip) say(host, QUERN_LOG_WARNING, "the program has no weights");
    put(p, "abc 2 ");
    put_name(p, (quern_text){request->name, strlen(request->name)});
    put(p, "\n");
    put_ends(p, "input", graph->input_count, graph->inputs);
    for (size_t i = 0; i < graph->node_count && p->status == QUERN_OK; ++i) {
        check_node(p, graph->nodes[i]);
        if (p->status == QUERN_OK) abc_lower(p, graph->nodes[i]);
        if (p->status == QUERN_OK) round_output(p, graph, i);
    }
    put_ends(p, "output", graph->output_count, graph->outputs);
    if (p->status == QUERN_OK) say(host, QUERN_LOG_INFO, "%zu nodes, %zu instructions", graph->node_count, p->instructions);
    free(p->values);
    return p->status;
}

static const quern_codegen_option strip = {sizeof strip, "strip", "yes: the program has no bytes of constants (default: no)"};
static const quern_codegen_option* const options[] = {&strip};
static const quern_codegen_plugin table = {sizeof table,         QUERN_CODEGEN_ABI, "abc", "2", "a program for the abc machine",
                                           QUERN_INPUT_GRAPH,    QUERN_PRODUCT_STREAM, 1,  1,   options,
                                           generate};

QUERN_EXPORT const quern_codegen_plugin* quern_codegen_entry(uint32_t abi) { return abi == QUERN_CODEGEN_ABI ? &table : NULL; }
