/* A back end that copies its one input, float32[3,4] "x", to "y", and ways to go wrong while it runs: cc -DRUNS_<way> -shared -fPIC; as C++
 * for those that throw. */
#include <quern/backend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <stdexcept>
#define THROW throw std::runtime_error("the driver threw this")
extern "C" {
#else
#define THROW abort()
#endif

struct quern_backend {
    int unused;
};
struct quern_executable {
    int unused;
};
struct quern_session {
    float numbers[12];
    float* target;
};
static struct quern_backend backend;
static struct quern_executable executable;

static quern_status create(const quern_host* host, const char* options, quern_backend** out) {
    (void)options;
#ifdef RUNS_throws_early
    THROW;
#endif
#ifdef RUNS_warns
    host->log(host, QUERN_LOG_WARNING, "it is warm in here");
#endif
    (void)host;
    *out = &backend;
    return QUERN_OK;
}
static void destroy(quern_backend* b) { (void)b; }
static const char* last_error(quern_backend* b) {
    (void)b;
    return NULL;
}
static quern_status devices(quern_backend* b, const quern_device* const** list, size_t* count) {
    (void)b;
    *list = NULL;
#ifdef RUNS_no_list
    *count = 3;
#else
    *count = 0;
#endif
    return QUERN_OK;
}
static quern_status supports(quern_backend* b, const quern_graph* graph, const quern_node* node, const char* options) {
    (void)b, (void)graph, (void)node, (void)options;
    return QUERN_OK;
}
static quern_status compile(quern_backend* b, const quern_graph* graph, const char* options, const quern_sink* sink) {
    (void)b, (void)graph, (void)options, (void)sink;
    return QUERN_OK; /* a blob of 0 bytes */
}
static quern_status load(quern_backend* b, const void* blob, size_t size, quern_executable** out) {
    (void)b, (void)blob;
    if (size != 0) return QUERN_BAD_INPUT;
    *out = &executable;
    return QUERN_OK;
}
static void unload(quern_executable* e) { (void)e; }
static quern_status describe(quern_executable* e, const quern_interface** out) {
    static const int64_t dims[2] = {3, 4};
    static quern_value x, y;
    static const quern_value* in[1];
    static const quern_value* made[1];
    static quern_interface face;
    (void)e;
    x.struct_size = y.struct_size = sizeof x;
    x.name.data = "x", y.name.data = "y", x.name.size = y.name.size = 1;
    x.dtype = y.dtype = QUERN_FLOAT32, x.rank = y.rank = 2, x.dims = y.dims = dims;
#ifdef RUNS_rank
    y.rank = 1000;
#endif
#ifdef RUNS_small
    y.struct_size = 8;
#endif
    in[0] = &x, made[0] = &y;
    face.struct_size = sizeof face;
    face.input_count = face.output_count = 1, face.inputs = in, face.outputs = made;
    *out = &face;
    return QUERN_OK;
}
static quern_status open_session(quern_executable* e, const quern_session_options* options, quern_session** out) {
    (void)e, (void)options;
    *out = (quern_session*)calloc(1, sizeof(quern_session));
    return QUERN_OK;
}
static void close_session(quern_session* s) { free(s); }
static quern_status set_input(quern_session* s, size_t index, const quern_buffer* buffer) {
    (void)index;
    memcpy(s->numbers, buffer->data, sizeof s->numbers);
    return QUERN_OK;
}
static quern_status execute(quern_session* s) {
    (void)s;
#if defined(RUNS_exit)
    exit(0);
#elif defined(RUNS_throws)
    THROW;
#elif defined(RUNS_throws_number)
    throw 42;
#elif defined(RUNS_fails)
    return QUERN_IO;
#elif defined(RUNS_in_place) || defined(RUNS_in_place_too_much)
    if (!s->target || (size_t)s->target % 64 != 0) return QUERN_INTERNAL;
    memcpy(s->target, s->numbers, sizeof s->numbers);
    memset(s->numbers, 0, sizeof s->numbers);
#elif defined(RUNS_prints)
    puts("printed by the back end");
#endif
    return QUERN_OK;
}
static quern_status set_output(quern_session* s, size_t index, const quern_buffer* buffer) {
    (void)index;
    if (buffer->size != sizeof s->numbers) return QUERN_BAD_INPUT;
    s->target = (float*)buffer->data;
    return QUERN_OK;
}
static quern_status get_output(quern_session* s, size_t index, quern_buffer* buffer) {
    static const int64_t dims[2] = {3, 4};
    (void)index;
#ifdef RUNS_no_output
    return QUERN_OK;
#endif
    buffer->dtype = QUERN_FLOAT32, buffer->rank = 2, buffer->dims = dims, buffer->data = s->numbers;
#if defined(RUNS_in_place) || defined(RUNS_in_place_too_much)
    buffer->data = s->target;
#endif
#if defined(RUNS_too_much) || defined(RUNS_in_place_too_much)
    buffer->size = (size_t)1 << 30;
#else
    buffer->size = sizeof s->numbers;
#endif
    return QUERN_OK;
}
static quern_status profile(quern_session* s, const quern_profile_event* const** events, size_t* count) {
    (void)s;
    *events = NULL;
#ifdef RUNS_no_events
    *count = 2;
#else
    *count = 0;
#endif
    return QUERN_OK;
}

QUERN_EXPORT const quern_backend_api* quern_backend_entry(uint32_t abi);
const quern_backend_api* quern_backend_entry(uint32_t abi) {
    static quern_backend_api table;
    (void)abi;
    table.struct_size = sizeof table;
    table.abi = QUERN_BACKEND_ABI;
    table.name = "running", table.version = "1", table.doc = "copies";
    table.create = create, table.destroy = destroy, table.last_error = last_error, table.devices = devices;
    table.supports = supports, table.compile = compile, table.load = load, table.unload = unload, table.describe = describe;
    table.open = open_session, table.close = close_session, table.set_input = set_input, table.execute = execute;
    table.get_output = get_output, table.profile = profile;
#if defined(RUNS_in_place) || defined(RUNS_in_place_too_much)
    table.set_output = set_output;
#else
    (void)set_output;
#endif
    return &table;
}
#ifdef __cplusplus
}
#endif
