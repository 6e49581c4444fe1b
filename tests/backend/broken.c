/* Back ends that are broken, one way each: cc -DBROKEN_<way> -shared -fPIC. */
#include <quern/backend.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef BROKEN_no_symbol
int nothing_here;
#else

static void fault(void) { *(volatile int*)8 = 0; }

#ifdef BROKEN_constructor
__attribute__((constructor)) static void begin(void) { abort(); }
#endif

static quern_status create(const quern_host* host, const char* options, quern_backend** out) {
    (void)host, (void)options;
#ifdef BROKEN_create
    fault();
#endif
#ifdef BROKEN_refusal
    return QUERN_IO;
#endif
#ifdef BROKEN_hang
    for (;;) pause();
#endif
#ifdef BROKEN_deaf
    signal(SIGALRM, SIG_IGN);
    for (;;) pause();
#endif
#ifdef BROKEN_exit
    exit(0);
#endif
    (void)fault;
    *out = malloc(1);
    return QUERN_OK;
}
static void destroy(quern_backend* backend) { free(backend); }
static const char* last_error(quern_backend* backend) { return backend ? "it went wrong" : "the device is not there"; }
static quern_status devices(quern_backend* backend, const quern_device* const** list, size_t* count) {
    (void)backend, (void)list;
#ifdef BROKEN_devices
    fault();
#endif
    *count = 0;
    return QUERN_OK;
}
static quern_status supports(quern_backend* backend, const quern_graph* graph, const quern_node* node, const char* options) {
    (void)backend, (void)graph, (void)node, (void)options;
#ifdef BROKEN_supports
    fault();
#endif
    return QUERN_OK;
}
static quern_status compile(quern_backend* backend, const quern_graph* graph, const char* options, const quern_sink* sink) {
    (void)backend, (void)graph, (void)options;
#ifdef BROKEN_compile
    fault();
#endif
#ifdef BROKEN_compile_error
    return QUERN_INTERNAL;
#endif
    return sink->write(sink, "x", 1);
}
static quern_status load(quern_backend* backend, const void* blob, size_t size, quern_executable** out) {
    (void)backend, (void)blob, (void)size, (void)out;
    return QUERN_BAD_INPUT;
}
static void unload(quern_executable* executable) { (void)executable; }
static quern_status describe(quern_executable* executable, const quern_interface** out) {
    (void)executable, (void)out;
    return QUERN_INTERNAL;
}
static quern_status open_session(quern_executable* executable, const quern_session_options* options, quern_session** out) {
    (void)executable, (void)options, (void)out;
    return QUERN_INTERNAL;
}
static void close_session(quern_session* session) { (void)session; }
static quern_status set_input(quern_session* session, size_t index, const quern_buffer* buffer) {
    (void)session, (void)index, (void)buffer;
    return QUERN_INTERNAL;
}
static quern_status execute(quern_session* session) {
    (void)session;
    return QUERN_INTERNAL;
}
static quern_status get_output(quern_session* session, size_t index, quern_buffer* buffer) {
    (void)session, (void)index, (void)buffer;
    return QUERN_INTERNAL;
}

QUERN_EXPORT const quern_backend_api* quern_backend_entry(uint32_t abi);
const quern_backend_api* quern_backend_entry(uint32_t abi) {
    static quern_backend_api table;
    (void)abi;
    table.struct_size = sizeof table;
    table.abi = QUERN_BACKEND_ABI;
    table.name = "broken";
    table.version = "1";
    table.doc = "broken";
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
#ifdef BROKEN_version
    table.abi = 99;
#endif
#ifdef BROKEN_not_served
    return NULL;
#endif
#ifdef BROKEN_name
    table.name = "other";
#endif
#ifdef BROKEN_function
    table.execute = NULL;
#endif
#ifdef BROKEN_short
    table.struct_size = 40;
#endif
    return &table;
}
#endif
