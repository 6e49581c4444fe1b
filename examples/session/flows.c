/* A complete program for quern's session interface: the flows of on-device compilation, on a model of one's own.
 *
 *   cc -std=c99 flows.c -lquern -o flows
 *   ./flows run net.onnx
 *   ./flows weights net.onnx net.q.onnx                 quantizes weights
 *   ./flows full net.onnx net.q.onnx                    records ranges, quantizes all
 *   ./flows codegen net.onnx net.abc abc-gen abc_back   generates code and runs it on a back end
 *   ./flows both net.onnx net.q.onnx net.abc abc-gen abc_back
 *   ./flows auto net.onnx net.q.onnx net.qctx context-gen
 *
 * Inputs are made up: each number is that of its place, between -1 and 1. Prints the first numbers of the first output, before and after. */
#include <quern/quern.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PORTS = 16, RUNS = 10 };

typedef struct {
    quern_inference_session* session;
    void* inputs[MAX_PORTS];
} flow;

/* Every function gives a status: 0, or what quern's tools have as exit codes. */
static void check(quern_status status) {
    if (status == QUERN_OK) return;
    fprintf(stderr, "flows: %s\n", quern_last_error());
    exit(status);
}

static void note(void* self, const char* text) {
    (void)self;
    fprintf(stderr, "flows: note: %s\n", text);
}

/* Inputs as numbers; dims that the model leaves open are 1. */
static void set_inputs(flow* f) {
    size_t count = 0;
    check(quern_input_count(f->session, &count));
    for (size_t i = 0; i < count && i < MAX_PORTS; ++i) {
        quern_io_info info = {sizeof info, NULL, 0, 0, 0, 0, 0, NULL};
        int64_t dims[8];
        size_t numbers = 1;
        check(quern_input_info(f->session, i, &info));
        if (info.rank < 0 || info.rank > 8 || info.dtype != QUERN_FLOAT32) {
            fprintf(stderr, "flows: input \"%s\" is not a float32 tensor of known rank\n", info.name);
            exit(QUERN_UNSUPPORTED);
        }
        for (int32_t d = 0; d < info.rank; ++d) {
            dims[d] = info.dims[d] < 0 ? 1 : info.dims[d];
            numbers *= (size_t)dims[d];
        }
        check(quern_set_input_shape(f->session, i, info.rank, dims));
        float* data = realloc(f->inputs[i], numbers * sizeof *data);
        if (!data) exit(QUERN_IO);
        for (size_t n = 0; n < numbers; ++n) data[n] = (float)(n % 17) / 8 - 1;
        f->inputs[i] = data;
        check(quern_set_input(f->session, i, QUERN_FLOAT32, data, numbers * sizeof *data));
    }
}

/* The first output as numbers, whatever the model has inside. */
static void print_output(flow* f, const char* what) {
    const void* data = NULL;
    size_t size = 0;
    check(quern_output_data(f->session, 0, &data, &size));
    printf("%s:", what);
    for (size_t n = 0; n < size / sizeof(float) && n < 10; ++n) printf(" %.9g", ((const float*)data)[n]);
    printf("\n");
}

static void run(flow* f, const char* what) {
    check(quern_run(f->session));
    print_output(f, what);
}

static void load(flow* f, const char* path) {
    check(quern_create_session(&f->session));
    check(quern_set_log(f->session, note, NULL));
    check(quern_load_model_from_file(f->session, path));
    check(quern_prepare(f->session));
    set_inputs(f);
    run(f, "float");
}

static void quantize_weights(flow* f, const char* path) {
    check(quern_set_quantization_type(f->session, "int8_wo"));
    check(quern_set_quantized_model_path(f->session, path));
    check(quern_quantize(f->session)); /* the quantized model is loaded and prepared, buffers stay */
    run(f, "weights");
}

static void quantize_all(flow* f, const char* path) {
    uint64_t recorded = 0;
    check(quern_set_execute_config(f->session, QUERN_RECORD_MINMAX));
    for (int i = 0; i < RUNS; ++i) check(quern_run(f->session)); /* a real program sets other inputs each time */
    check(quern_reset_execute_config(f->session));
    check(quern_recorded_runs(f->session, &recorded));
    printf("recorded: %u\n", (unsigned)recorded);
    check(quern_set_quantization_type(f->session, "uint8"));
    check(quern_set_quantized_model_path(f->session, path));
    check(quern_quantize(f->session));
    run(f, "quantized");
}

/* The same run with the codes of the output, if it has codes of one byte. */
static void print_codes(flow* f) {
    quern_io_info info = {sizeof info, NULL, 0, 0, 0, 0, 0, NULL};
    unsigned char codes[4096];
    size_t size = 1;
    check(quern_output_info(f->session, 0, &info)); /* after a run: its dims */
    for (int32_t d = 0; d < info.rank; ++d) size *= (size_t)info.dims[d];
    if (info.storage != QUERN_UINT8 || size > sizeof codes) return;
    check(quern_set_output(f->session, 0, QUERN_UINT8, codes, sizeof codes));
    check(quern_run(f->session));
    printf("codes:");
    for (size_t n = 0; n < size && n < 10; ++n) printf(" %.9g", ((double)codes[n] - (double)info.zero) * info.scale);
    printf("\n");
    check(quern_set_output(f->session, 0, QUERN_FLOAT32, NULL, 0));
}

static void generate(flow* f, const char* path, const char* target, const char* backend) {
    const char* runs = "";
    check(quern_set_codegen_model_path(f->session, path));
    check(quern_codegen(f->session, target, QUERN_PREFERENCE_DEFAULT)); /* what was generated is loaded */
    check(quern_set_available_backends(f->session, backend));
    check(quern_prepare(f->session));
    set_inputs(f);
    run(f, "generated");
    check(quern_model_path(f->session, &runs));
    printf("ran: %s\n", runs);
}

/* Runs until what is made in the background is there. */
static void compile_by_itself(flow* f, const char* quantized, const char* generated, const char* target) {
    const char* runs = "";
    check(quern_set_quantization_type(f->session, "uint8"));
    check(quern_set_quantized_model_path(f->session, quantized));
    check(quern_set_codegen_model_path(f->session, generated));
    check(quern_set_minmax_runs(f->session, RUNS));
    for (long i = 0; i < 1000000 && strcmp(runs, generated) != 0; ++i) {
        check(quern_run_with_auto_compilation(f->session, target, QUERN_PREFERENCE_DEFAULT));
        check(quern_model_path(f->session, &runs));
    }
    print_output(f, "compiled");
    printf("ran: %s\n", runs);
}

int main(int argc, char** argv) {
    flow f = {NULL, {NULL}};
    const char* what = argc > 2 ? argv[1] : "";
    const int good = (strcmp(what, "run") == 0 && argc == 3) || (strcmp(what, "weights") == 0 && argc == 4) ||
                     (strcmp(what, "full") == 0 && argc == 4) || (strcmp(what, "codegen") == 0 && argc == 6) ||
                     (strcmp(what, "both") == 0 && argc == 7) || (strcmp(what, "auto") == 0 && argc == 6);
    if (!good) {
        fprintf(stderr, "usage: flows run MODEL | weights MODEL Q | full MODEL Q | codegen MODEL C TARGET BACKEND | both MODEL Q C TARGET BACKEND"
                        " | auto MODEL Q C TARGET\n");
        return QUERN_USAGE;
    }
    load(&f, argv[2]);
    if (strcmp(what, "weights") == 0) quantize_weights(&f, argv[3]);
    if (strcmp(what, "full") == 0 || strcmp(what, "both") == 0) {
        quantize_all(&f, argv[3]);
        print_codes(&f);
    }
    if (strcmp(what, "codegen") == 0) generate(&f, argv[3], argv[4], argv[5]);
    if (strcmp(what, "both") == 0) generate(&f, argv[4], argv[5], argv[6]);
    if (strcmp(what, "auto") == 0) compile_by_itself(&f, argv[3], argv[4], argv[5]);
    quern_close_session(f.session);
    for (size_t i = 0; i < MAX_PORTS; ++i) free(f.inputs[i]);
    return 0;
}
