/* quern's codegen plugin interface, version 1: plain C (C99 and newer, C++), for authors of code generators. docs/codegen-plugin.md is the
 * guide.
 *
 * A plugin is a shared library lib<ext>-gen.so that exports one function, `quern_codegen_entry`, which returns its table; <ext> is the name
 * that --plugin has, and the suffix of its product where the user names none. The rules of backend.h hold here, too: struct_size
 * begins every structure and guards its fields (QUERN_HAS), memory is freed by the side that allocated it, no exception leaves a
 * function, views must not be retained.
 *
 * Processes  Every call is made in a child process that ends after it: a crash there is an error message, and nothing that the plugin
 *            leaves in memory or makes of standard streams reaches quern. The table is read in one process, generate() runs in another.
 * Namespace  The library is opened in a link namespace of its own: it shares no library with quern, which may have other versions.
 */
#ifndef QUERN_CODEGEN_PLUGIN_H
#define QUERN_CODEGEN_PLUGIN_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QUERN_CODEGEN_ABI 1u
#define QUERN_CODEGEN_ENTRY "quern_codegen_entry"

/* How the plugin takes the model. Files are complete: weights lie inside, shapes are as the user fixed them. */
enum {
    QUERN_INPUT_GRAPH = 0,  /* request->graph, a view */
    QUERN_INPUT_NATIVE = 1, /* request->model, a file in quern's native format (docs/native.md) */
    QUERN_INPUT_ONNX = 2,
    QUERN_INPUT_CIRCLE = 3,
    QUERN_INPUT_TFLITE = 4
};

/* Where the plugin puts its product. */
enum {
    QUERN_PRODUCT_STREAM = 0, /* request->sink: one file, which appears only when it is complete */
    QUERN_PRODUCT_PATH = 1    /* request->output: makes a file or a folder of this name, and more files beside it if it likes */
};

enum { QUERN_PREFER_DEFAULT = 0, QUERN_PREFER_SPEED = 1, QUERN_PREFER_SIZE = 2 };

typedef struct quern_codegen_option {
    uint32_t struct_size;
    const char* name; /* as in --option name=text */
    const char* doc;  /* one line */
} quern_codegen_option;

typedef struct quern_setting {
    uint32_t struct_size;
    const char* name; /* one of the options' */
    const char* text; /* as the user gave it */
} quern_setting;

/* Valid until generate() returns. */
typedef struct quern_codegen_request {
    uint32_t struct_size;
    const char* name;         /* of the model: its file name without folder and suffix, "model" for standard input */
    const quern_graph* graph; /* QUERN_INPUT_GRAPH, else NULL */
    const char* model;        /* the path of a file in the form asked for, removed afterwards; QUERN_INPUT_GRAPH: NULL */
    int32_t preference;       /* QUERN_PREFER_... */
    size_t setting_count;
    const quern_setting* const* settings; /* options that were given, by name */
    const quern_sink* sink;               /* QUERN_PRODUCT_STREAM, else NULL */
    const char* output; /* QUERN_PRODUCT_PATH, else NULL: in an empty folder, moved to where the user wants it after QUERN_OK */
} quern_codegen_request;

/* All fields are required but those marked optional, which may be 0 or NULL. */
typedef struct quern_codegen_plugin {
    uint32_t struct_size;
    uint32_t abi;        /* QUERN_CODEGEN_ABI */
    const char* name;    /* <ext> of lib<ext>-gen.so */
    const char* version; /* of the plugin: goes into --list-plugins */
    const char* doc;     /* one line: what comes out */
    int32_t input;       /* QUERN_INPUT_... */
    int32_t product;     /* QUERN_PRODUCT_... */
    int32_t preferences; /* 1: another preference changes what comes out; 0: the user is told that it does not */
    size_t option_count; /* optional */
    const quern_codegen_option* const* options;
    /* Generates. Equal requests give equal bytes. Diagnostics go to host->log() as they arise, one line each: errors and warnings are
     * shown on standard error, information with --verbose. A status other than QUERN_OK becomes quern's exit code (1 to 125 as they
     * are), with the last error that was logged as its message. host->serialize() gives the graph as a file's bytes. */
    quern_status (*generate)(const quern_host* host, const quern_codegen_request* request);
} quern_codegen_plugin;

/* `abi` is the host's QUERN_CODEGEN_ABI. The table lives as long as the library; NULL: this abi is not supported. */
typedef const quern_codegen_plugin* (*quern_codegen_entry_fn)(uint32_t abi);

#ifdef __cplusplus
}
#endif
#endif
