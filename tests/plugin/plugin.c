/* Plugins that are broken, one way each, and one that is not: cc -DPLUGIN_<way> -shared -fPIC. */
#include <quern/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef PLUGIN_no_symbol
int nothing_here;
#else

static void fault(void) { *(volatile int*)8 = 0; }

#ifdef PLUGIN_constructor
__attribute__((constructor)) static void begin(void) { abort(); }
#endif

/* Copies the model's first bytes into a file of the folder that it makes. */
static quern_status make_folder(const quern_codegen_request* request) {
    char path[4096];
    if (mkdir(request->output, 0777) != 0) return QUERN_IO;
    snprintf(path, sizeof path, "%s/head", request->output);
    FILE* from = fopen(request->model, "rb");
    FILE* to = fopen(path, "wb");
    char bytes[8];
    if (!from || !to || fread(bytes, 1, sizeof bytes, from) != sizeof bytes) return QUERN_IO;
    fwrite(bytes, 1, sizeof bytes, to);
    fclose(from);
    return fclose(to) == 0 ? QUERN_OK : QUERN_IO;
}

static quern_status generate(const quern_host* host, const quern_codegen_request* request) {
    (void)fault, (void)make_folder;
#if defined(PLUGIN_folder)
    host->log(host, QUERN_LOG_INFO, "makes a folder");
    return make_folder(request);
#elif defined(PLUGIN_crash)
    fault();
#elif defined(PLUGIN_last_words)
    host->log(host, QUERN_LOG_ERROR, "node \"a\": out of registers");
    abort();
#elif defined(PLUGIN_empty)
    fclose(fopen(request->output, "w"));
#elif defined(PLUGIN_exit)
    exit(0);
#elif defined(PLUGIN_status)
    return 42;
#elif defined(PLUGIN_refusal)
    host->log(host, QUERN_LOG_WARNING, "will not go well");
    host->log(host, QUERN_LOG_ERROR, "node \"a\": too wide");
    host->log(host, QUERN_LOG_ERROR, "node \"b\": too\nhigh");
    return QUERN_BAD_INPUT;
#elif defined(PLUGIN_half)
    const quern_sink* sink = request->sink;
    sink->write(sink, "half", 4);
    return QUERN_IO;
#endif
    (void)host, (void)request;
    return QUERN_OK;
}

#ifdef PLUGIN_name
#define NAME "other"
#else
#define NAME "broken"
#endif
#if defined(PLUGIN_folder) || defined(PLUGIN_empty)
#define PRODUCT QUERN_PRODUCT_PATH
#else
#define PRODUCT QUERN_PRODUCT_STREAM
#endif

static quern_codegen_plugin table = {
    sizeof table, QUERN_CODEGEN_ABI, NAME, "1", "broken", QUERN_INPUT_TFLITE, PRODUCT, 0, 0, NULL, generate};

QUERN_EXPORT const quern_codegen_plugin* quern_codegen_entry(uint32_t abi) {
    (void)abi;
#if defined(PLUGIN_not_served)
    return NULL;
#elif defined(PLUGIN_version)
    table.abi = 99;
#elif defined(PLUGIN_short)
    table.struct_size = 16;
#elif defined(PLUGIN_function)
    table.generate = NULL;
#elif defined(PLUGIN_input)
    table.input = 9;
#elif defined(PLUGIN_probe)
    fault();
#elif defined(PLUGIN_hang)
    for (;;) pause();
#endif
    return &table;
}
#endif
