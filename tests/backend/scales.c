/* A back end with options: it multiplies its one input by "factor" when it runs, whatever the graph says, and adds what "offset" was when
 * it compiled. {"factor": 2, "offset": 1}, both 1-digit numbers; "table", a text, changes nothing; others are refused. */
#include <quern/backend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct quern_backend {
    int factor, offset;
};
struct quern_executable {
    struct quern_backend* backend;
    int offset, rank;
    int64_t dims[8];
    char names[2][64];
    quern_value ports[2];
    const quern_value* in[1];
    const quern_value* out[1];
    quern_interface face;
};
struct quern_session {
    struct quern_executable* executable;
    const float* from;
    size_t size;
    float* numbers;
};
/* The blob. */
struct head {
    int32_t offset, rank;
    int64_t dims[8];
    char names[2][64];
};

static char problem[256];

static quern_status fail(quern_status status, const char* text, const char* what) {
    snprintf(problem, sizeof problem, text, what);
    return status;
}

/* The members of an object of numbers, as the host spells it. */
static quern_status parse(const char* text, struct quern_backend* to) {
    char key[64];
    int number, used;
    const char* at = text;
    while (*at) {
        if (*at == '{' || *at == ',' || *at == ' ' || *at == '}') {
            ++at;
            continue;
        }
        used = 0;
        if (sscanf(at, "\"table\" : \"%63[^\"]\"%n", key, &used) == 1 && used > 0) {
            at += used;
            continue;
        }
        if (sscanf(at, "\"%63[^\"]\" : %d%n", key, &number, &used) != 2) return fail(QUERN_USAGE, "options %s: need numbers", text);
        if (strcmp(key, "factor") == 0)
            to->factor = number;
        else if (strcmp(key, "offset") == 0)
            to->offset = number;
        else
            return fail(QUERN_USAGE, "unknown option \"%s\": there are factor and offset", key);
        at += used;
    }
    return QUERN_OK;
}

static quern_status create(const quern_host* host, const char* options, quern_backend** out) {
    struct quern_backend own = {1, 0};
    const quern_status status = parse(options ? options : "", &own);
    (void)host;
    if (status != QUERN_OK) return status;
    *out = malloc(sizeof own);
    **out = own;
    return QUERN_OK;
}
static void destroy(quern_backend* b) { free(b); }
static const char* last_error(quern_backend* b) {
    (void)b;
    return problem;
}
static quern_status devices(quern_backend* b, const quern_device* const** list, size_t* count) {
    (void)b;
    *list = NULL;
    *count = 0;
    return QUERN_OK;
}
static quern_status supports(quern_backend* b, const quern_graph* graph, const quern_node* node, const char* options) {
    (void)b, (void)graph, (void)options;
    return strcmp(node->op.data, "Neg") == 0 ? QUERN_OK : fail(QUERN_UNSUPPORTED, "runs Neg only%s", "");
}
static void set_name(char* to, quern_text name) {
    memset(to, 0, 64);
    memcpy(to, name.data, name.size < 63 ? name.size : 63);
}
static quern_status compile(quern_backend* b, const quern_graph* graph, const char* options, const quern_sink* sink) {
    struct head head;
    const quern_value* x = graph->inputs[0];
    memset(&head, 0, sizeof head);
    if (options && strstr(options, "\"isa\":\"aarch64\"")) b->offset = 9; /* the machine that it is for */
    head.offset = b->offset;
    head.rank = x->rank;
    memcpy(head.dims, x->dims, (size_t)x->rank * sizeof *x->dims);
    set_name(head.names[0], x->name);
    set_name(head.names[1], graph->outputs[0]->name);
    return sink->write(sink, &head, sizeof head);
}
static quern_status load(quern_backend* b, const void* blob, size_t size, quern_executable** out) {
    struct head head;
    struct quern_executable* e;
    int i;
    if (size != sizeof head) return fail(QUERN_BAD_INPUT, "is no blob of mine%s", "");
    memcpy(&head, blob, size);
    if (head.rank < 0 || head.rank > 8 || head.names[0][63] || head.names[1][63]) return fail(QUERN_BAD_INPUT, "is broken%s", "");
    e = calloc(1, sizeof *e);
    e->backend = b;
    e->offset = head.offset;
    e->rank = head.rank;
    memcpy(e->dims, head.dims, sizeof e->dims);
    memcpy(e->names, head.names, sizeof e->names);
    for (i = 0; i < 2; ++i) {
        e->ports[i].struct_size = sizeof(quern_value);
        e->ports[i].name.data = e->names[i];
        e->ports[i].name.size = strlen(e->names[i]);
        e->ports[i].dtype = QUERN_FLOAT32;
        e->ports[i].rank = e->rank;
        e->ports[i].dims = e->dims;
    }
    e->in[0] = &e->ports[0], e->out[0] = &e->ports[1];
    e->face.struct_size = sizeof e->face;
    e->face.input_count = e->face.output_count = 1;
    e->face.inputs = e->in, e->face.outputs = e->out;
    *out = e;
    return QUERN_OK;
}
static void unload(quern_executable* e) { free(e); }
static quern_status describe(quern_executable* e, const quern_interface** out) {
    *out = &e->face;
    return QUERN_OK;
}
static quern_status open_session(quern_executable* e, const quern_session_options* options, quern_session** out) {
    (void)options;
    *out = calloc(1, sizeof **out);
    (*out)->executable = e;
    return QUERN_OK;
}
static void close_session(quern_session* s) {
    free(s->numbers);
    free(s);
}
static quern_status set_input(quern_session* s, size_t index, const quern_buffer* buffer) {
    (void)index;
    s->from = buffer->data;
    s->size = buffer->size;
    return QUERN_OK;
}
static quern_status execute(quern_session* s) {
    size_t i;
    free(s->numbers);
    s->numbers = malloc(s->size);
    for (i = 0; i < s->size / sizeof(float); ++i)
        s->numbers[i] = s->from[i] * (float)s->executable->backend->factor + (float)s->executable->offset;
    return QUERN_OK;
}
static quern_status get_output(quern_session* s, size_t index, quern_buffer* buffer) {
    (void)index;
    buffer->dtype = QUERN_FLOAT32;
    buffer->rank = s->executable->rank;
    buffer->dims = s->executable->dims;
    buffer->data = s->numbers;
    buffer->size = s->size;
    return QUERN_OK;
}

QUERN_EXPORT const quern_backend_api* quern_backend_entry(uint32_t abi);
const quern_backend_api* quern_backend_entry(uint32_t abi) {
    static quern_backend_api table;
    (void)abi;
    table.struct_size = sizeof table;
    table.abi = QUERN_BACKEND_ABI;
    table.name = "scales", table.version = "1", table.doc = "multiplies by its option";
    table.create = create, table.destroy = destroy, table.last_error = last_error, table.devices = devices;
    table.supports = supports, table.compile = compile, table.load = load, table.unload = unload, table.describe = describe;
    table.open = open_session, table.close = close_session, table.set_input = set_input, table.execute = execute;
    table.get_output = get_output;
    return &table;
}
