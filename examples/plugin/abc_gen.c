/* The codegen plugin abc: a program for a made-up machine, one line of text for each constant, input, node and output.
 *
 *   abc 1 net                         version, name of the model
 *   const %0 float32 8x1x3x3 w 288 ..  a value, its type, dims, name and size; then the bytes in hex, unless stripped
 *   input %1 float32 1x1x8x8 image
 *   node Conv %2 = %1 %0 unit=3       "-": an optional input that is absent
 *   output %9 float32 1x10 scores
 *
 * Preference "size": values have no names; "speed": nodes say that their operands are fetched ahead. Option strip=yes: no bytes of constants. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/plugin.h>

typedef struct {
    const quern_host* host;
    const quern_codegen_request* request;
    const quern_value** values; /* by number */
    size_t count, capacity;
    int strip;
    quern_status status;
} abc_program;

static void say(const quern_host* host, int32_t level, const char* format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    host->log(host, level, text);
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

/* Names may hold any bytes: what is not a letter, digit, '_', '.' or '/' becomes '?'. */
static void put_name(abc_program* p, quern_text name) {
    for (size_t i = 0; i < name.size; ++i) {
        const char c = name.data[i];
        const int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/';
        put_bytes(p, plain ? &c : "?", 1);
    }
}

static void put_dims(abc_program* p, int32_t rank, const int64_t* dims) {
    if (rank == 0) put(p, " scalar");
    for (int32_t i = 0; i < rank; ++i) put(p, "%s%" PRId64, i ? "x" : " ", dims[i]);
}

static void put_hex(abc_program* p, const quern_tensor* tensor) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char* bytes = tensor->data;
    for (size_t i = 0; i < tensor->size; ++i) {
        const char pair[2] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        put_bytes(p, pair, 2);
    }
}

/* ---- values ---- */

static const char* type_name(quern_dtype dtype) {
    switch (dtype) {
        case QUERN_FLOAT32: return "float32";
        case QUERN_FLOAT16: return "float16";
        case QUERN_INT8: return "int8";
        case QUERN_UINT8: return "uint8";
        case QUERN_INT16: return "int16";
        case QUERN_INT32: return "int32";
        case QUERN_INT64: return "int64";
        case QUERN_BOOL: return "bool";
        default: return NULL;
    }
}

/* The value's number; `fresh` tells that it is new. Values are few: a plain search will do. */
static size_t number_of(abc_program* p, const quern_value* value, int* fresh) {
    *fresh = 0;
    for (size_t i = 0; i < p->count; ++i)
        if (p->values[i] == value) return i;
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
    *fresh = 1;
    p->values[p->count] = value;
    return p->count++;
}

static void put_value(abc_program* p, const char* word, const quern_value* value, size_t number) {
    const quern_dtype dtype = value->encoding ? value->encoding->storage : value->dtype;
    const char* type = type_name(dtype);
    if (!type || value->rank < 0) {
        say(p->host, QUERN_LOG_ERROR, "value \"%s\": %s", value->name.data, type ? "its rank is not known" : "its type is none of the machine's");
        p->status = QUERN_UNSUPPORTED;
        return;
    }
    put(p, "%s %%%zu %s", word, number, type);
    put_dims(p, value->rank, value->dims);
    if (p->request->preference != QUERN_PREFER_SIZE) put(p, " "), put_name(p, value->name);
    if (value->constant) {
        put(p, " %zu", value->constant->size);
        if (!p->strip) put(p, " "), put_hex(p, value->constant);
    }
    put(p, "\n");
}

/* Declares constants before their first use. */
static void declare(abc_program* p, const quern_value* value) {
    int fresh = 0;
    if (!value || !value->constant) return;
    const size_t number = number_of(p, value, &fresh);
    if (fresh) put_value(p, "const", value, number);
}

/* ---- nodes ---- */

static void put_operand(abc_program* p, const quern_value* value) {
    int fresh = 0;
    if (!value)
        put(p, " -");
    else
        put(p, " %%%zu", number_of(p, value, &fresh));
}

static void put_node(abc_program* p, const quern_node* node) {
    if (node->body_count > 0) {
        say(p->host, QUERN_LOG_ERROR, "node \"%s\" (%s): the machine has no control flow", node->name.data, node->op.data);
        p->status = QUERN_UNSUPPORTED;
        return;
    }
    for (size_t i = 0; i < node->input_count; ++i) declare(p, node->inputs[i]);
    put(p, "node ");
    put_name(p, node->op);
    for (size_t i = 0; i < node->output_count; ++i) put_operand(p, node->outputs[i]);
    put(p, " =");
    for (size_t i = 0; i < node->input_count; ++i) put_operand(p, node->inputs[i]);
    if (node->unit >= 0) put(p, " unit=%d", (int)node->unit);
    if (p->request->preference == QUERN_PREFER_SPEED) put(p, " prefetch");
    put(p, "\n");
}

static void put_ends(abc_program* p, const char* word, size_t count, const quern_value* const* values) {
    int fresh = 0;
    for (size_t i = 0; i < count && p->status == QUERN_OK; ++i) put_value(p, word, values[i], number_of(p, values[i], &fresh));
}

static quern_status generate(const quern_host* host, const quern_codegen_request* request) {
    abc_program program = {host, request, NULL, 0, 0, 0, QUERN_OK};
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
    put(p, "abc 1 ");
    put_name(p, (quern_text){request->name, strlen(request->name)});
    put(p, "\n");
    put_ends(p, "input", graph->input_count, graph->inputs);
    for (size_t i = 0; i < graph->node_count && p->status == QUERN_OK; ++i) put_node(p, graph->nodes[i]);
    put_ends(p, "output", graph->output_count, graph->outputs);
    if (p->status == QUERN_OK) say(host, QUERN_LOG_INFO, "%zu nodes, %zu values", graph->node_count, p->count);
    free(p->values);
    return p->status;
}

static const quern_codegen_option strip = {sizeof strip, "strip", "yes: the program has no bytes of constants (default: no)"};
static const quern_codegen_option* const options[] = {&strip};
static const quern_codegen_plugin table = {sizeof table,         QUERN_CODEGEN_ABI, "abc", "1", "a program for the abc machine",
                                           QUERN_INPUT_GRAPH,    QUERN_PRODUCT_STREAM, 1,  1,   options,
                                           generate};

QUERN_EXPORT const quern_codegen_plugin* quern_codegen_entry(uint32_t abi) { return abi == QUERN_CODEGEN_ABI ? &table : NULL; }
