/* The calls of onert's document of on-device compilation, in its order, on a model with one float32 input and output; prints the first
 * numbers of the output. usage: nnfw weights|full|codegen MODEL PRODUCT */
#include <quern/nnfw.h>
#include <stdio.h>
#include <stdlib.h>

enum { numbers_shown = 10 };

static nnfw_session* session;
static const uint32_t input_index, output_index;
static NNFW_TYPE input_type, output_type;
static float *input_buffer, *output_buffer;
static size_t input_element_size, output_element_size; /* bytes, as the functions want them */

static void check(NNFW_STATUS status, const char* call) {
    char text[400];
    if (status == NNFW_STATUS_NO_ERROR) return;
    nnfw_get_last_error_message(session, text, sizeof text);
    fprintf(stderr, "nnfw: %s: status %d: %s\n", call, (int)status, text);
    exit(1);
}
#define CHECK(call) check(call, #call)

static size_t bytes_of(const nnfw_tensorinfo* info) {
    size_t count = 1;
    for (int32_t i = 0; i < info->rank; ++i) count *= (size_t)(info->dims[i] < 0 ? 1 : info->dims[i]);
    return count * sizeof(float);
}

static void make_buffers(void) {
    nnfw_tensorinfo info;
    uint32_t inputs = 0, outputs = 0;
    CHECK(nnfw_input_size(session, &inputs));
    CHECK(nnfw_output_size(session, &outputs));
    CHECK(nnfw_input_tensorinfo(session, 0, &info));
    for (int32_t i = 0; i < info.rank; ++i) info.dims[i] = info.dims[i] < 0 ? 1 : info.dims[i];
    CHECK(nnfw_set_input_tensorinfo(session, 0, &info));
    input_type = info.dtype;
    input_element_size = bytes_of(&info);
    CHECK(nnfw_output_tensorinfo(session, 0, &info));
    output_type = info.dtype;
    output_element_size = bytes_of(&info);
    if (inputs != 1 || outputs != 1 || input_type != NNFW_TYPE_TENSOR_FLOAT32 || output_type != NNFW_TYPE_TENSOR_FLOAT32) exit(4);
    input_buffer = malloc(input_element_size);
    output_buffer = calloc(1, output_element_size);
    if (!input_buffer || !output_buffer) exit(5);
    for (size_t i = 0; i < input_element_size / sizeof(float); ++i) input_buffer[i] = (float)(i % 17) / 8 - 1;
}

static void set_buffers(void) {
    CHECK(nnfw_set_input(session, input_index, input_type, input_buffer, input_element_size));
    CHECK(nnfw_set_output(session, output_index, output_type, output_buffer, output_element_size));
}

static void print(const char* what) {
    const size_t count = output_element_size / sizeof(float);
    printf("%s:", what);
    for (size_t i = 0; i < count && i < numbers_shown; ++i) printf(" %.9g", (double)output_buffer[i]);
    printf("\n");
}

static void weights(const char* quantized_model_path) {
    set_buffers();
    CHECK(nnfw_set_quantization_type(session, NNFW_QUANTIZE_TYPE_WO_I8_SYM));
    CHECK(nnfw_set_quantized_model_path(session, quantized_model_path));
    CHECK(nnfw_quantize(session));
    CHECK(nnfw_run(session));
    print("weights");
}

static void full(const char* quantized_model_path) {
    const int num_of_inference = 10;
    CHECK(nnfw_prepare(session));
    set_buffers();
    CHECK(nnfw_set_execute_config(session, NNFW_RUN_CONFIG_DUMP_MINMAX, NULL));
    for (int i = 0; i < num_of_inference; ++i) CHECK(nnfw_run(session));
    print("float");
    CHECK(nnfw_set_quantization_type(session, NNFW_QUANTIZE_TYPE_U8_ASYM));
    CHECK(nnfw_set_quantized_model_path(session, quantized_model_path));
    CHECK(nnfw_quantize(session));
    CHECK(nnfw_reset_execute_config(session));
    CHECK(nnfw_run(session));
    print("quantized");
}

static void codegen(const char* codegen_model_path) {
    CHECK(nnfw_set_codegen_model_path(session, codegen_model_path));
    CHECK(nnfw_codegen(session, "abc-gen", NNFW_CODEGEN_PREF_DEFAULT));
    CHECK(nnfw_prepare(session));
    CHECK(nnfw_set_available_backend(session, "abc_back"));
    set_buffers();
    CHECK(nnfw_run(session));
    print("generated");
}

static void mistakes(void) {
    if (nnfw_run(NULL) != NNFW_STATUS_UNEXPECTED_NULL || nnfw_run(session) != NNFW_STATUS_INVALID_STATE ||
        nnfw_set_quantization_type(session, NNFW_QUANTIZE_TYPE_NOT_SET) != NNFW_STATUS_INVALID_STATE ||
        nnfw_load_model_from_file(session, "no such file") != NNFW_STATUS_ERROR) {
        fprintf(stderr, "nnfw: a mistake has another status\n");
        exit(1);
    }
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    CHECK(nnfw_create_session(&session));
    mistakes();
    CHECK(nnfw_load_model_from_file(session, argv[2]));
    make_buffers();
    if (strcmp(argv[1], "weights") == 0)
        weights(argv[3]);
    else if (strcmp(argv[1], "full") == 0)
        full(argv[3]);
    else
        codegen(argv[3]);
    CHECK(nnfw_close_session(session));
    free(input_buffer);
    free(output_buffer);
    return 0;
}
