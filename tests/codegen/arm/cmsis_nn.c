/* Instructions that CMSIS-NN takes for the layers of two nets of MLPerf Tiny (tests/slow/cmsis_nn): its own choice of kernels for
   each, codes and weights of no meaning, requantization of every channel. NET: kws (DS-CNN) or ic (ResNet8). */
#include <arm_nnfunctions.h>
#include <stdint.h>

void print(const char *text);
void print_number(uint32_t number);
void begin_count(void);
uint32_t ticks(void);

#define ALIGNED __attribute__((aligned(16)))
enum { max_channels = 256 };

static int8_t in[80000] ALIGNED, out[80000] ALIGNED, weights[80000] ALIGNED, scratch[40000] ALIGNED;
static int32_t bias[max_channels], factors[max_channels], shifts[max_channels], column_sums[max_channels];
static uint32_t all_ticks;

static void fill(void)
{
    uint32_t x = 1;
    for (unsigned i = 0; i < sizeof in; ++i) {
        x = x * 1664525u + 1013904223u;
        in[i] = (int8_t)(x >> 24);
        weights[i] = (int8_t)(x >> 16);
    }
    for (int c = 0; c < max_channels; ++c) {
        factors[c] = 1400000000 + c;
        shifts[c] = -9;
        bias[c] = 10 * c;
    }
}

static void count(arm_cmsis_nn_status status)
{
    all_ticks += ticks();
    if (status != ARM_CMSIS_NN_SUCCESS) print("refused\n");
}

typedef struct {
    int32_t height, width, channels;
} shape;

static cmsis_nn_dims dims_of(shape s)
{
    return (cmsis_nn_dims){1, s.height, s.width, s.channels};
}

static void conv(shape x, int32_t kernel_h, int32_t kernel_w, int32_t stride, int32_t pad_h, int32_t pad_w, shape y)
{
    const cmsis_nn_context memory = {scratch, sizeof scratch};
    const cmsis_nn_conv_params by = {.input_offset = 128,
                                     .output_offset = -128,
                                     .stride = {stride, stride},
                                     .padding = {pad_w, pad_h},
                                     .dilation = {1, 1},
                                     .activation = {-128, 127}};
    const cmsis_nn_per_channel_quant_params scales = {factors, shifts};
    const cmsis_nn_dims from = dims_of(x), filter = {y.channels, kernel_h, kernel_w, x.channels}, biases = {1, 1, 1, y.channels};
    const cmsis_nn_dims to = dims_of(y);
    begin_count();
    count(arm_convolve_wrapper_s8(&memory, &by, &scales, &from, in, &filter, weights, &biases, bias, &to, out));
}

static void depthwise(shape x)
{
    const cmsis_nn_context memory = {scratch, sizeof scratch};
    const cmsis_nn_dw_conv_params by = {.input_offset = 128,
                                        .output_offset = -128,
                                        .ch_mult = 1,
                                        .stride = {1, 1},
                                        .padding = {1, 1},
                                        .dilation = {1, 1},
                                        .activation = {-128, 127}};
    const cmsis_nn_per_channel_quant_params scales = {factors, shifts};
    const cmsis_nn_dims both = dims_of(x), filter = {1, 3, 3, x.channels}, biases = {1, 1, 1, x.channels};
    begin_count();
    count(arm_depthwise_conv_wrapper_s8(&memory, &by, &scales, &both, in, &filter, weights, &biases, bias, &both, out));
}

static void dense(int32_t depth, int32_t columns)
{
    const cmsis_nn_context memory = {column_sums, sizeof column_sums};
    const cmsis_nn_fc_params by = {.input_offset = 128, .output_offset = -128, .activation = {-128, 127}};
    const cmsis_nn_per_tensor_quant_params scale = {factors[0], shifts[0]};
    const cmsis_nn_dims from = {1, 1, 1, depth}, filter = {depth, 1, 1, columns}, row = {1, 1, 1, columns};
    begin_count();
    count(arm_fully_connected_s8(&memory, &by, &scale, &from, in, &filter, weights, &row, bias, &row, out));
}

static void mean(shape x)
{
    const cmsis_nn_context memory = {scratch, sizeof scratch};
    const cmsis_nn_pool_params by = {.stride = {x.width, x.height}, .activation = {-128, 127}};
    const cmsis_nn_dims from = dims_of(x), filter = {1, x.height, x.width, 1}, to = {1, 1, 1, x.channels};
    begin_count();
    count(arm_avgpool_s8(&memory, &by, &from, in, &filter, &to, out));
}

static void add(int32_t codes)
{
    begin_count();
    count(arm_elementwise_add_s8(in, in + codes, 128, 1073741824, -1, 128, 1200000000, -1, 20, out, -128, 1500000000, -19, -128, 127,
                                 codes));
}

static void softmax(int32_t codes)
{
    begin_count();
    arm_softmax_s8(in, 1, codes, 1600000000, 23, -200, out);
    count(ARM_CMSIS_NN_SUCCESS);
}

static void kws(void)
{
    const shape x = {49, 10, 1}, y = {25, 5, 64};
    conv(x, 10, 4, 2, 4, 1, y);
    for (int i = 0; i < 4; ++i) {
        depthwise(y);
        conv(y, 1, 1, 1, 0, 0, y);
    }
    mean(y);
    dense(64, 12);
    softmax(12);
}

static void ic(void)
{
    const shape x = {32, 32, 3}, a = {32, 32, 16}, b = {16, 16, 32}, c = {8, 8, 64};
    conv(x, 3, 3, 1, 1, 1, a);
    conv(a, 3, 3, 1, 1, 1, a);
    conv(a, 3, 3, 1, 1, 1, a);
    add(32 * 32 * 16);
    conv(a, 3, 3, 2, 0, 0, b);
    conv(b, 3, 3, 1, 1, 1, b);
    conv(a, 1, 1, 2, 0, 0, b);
    add(16 * 16 * 32);
    conv(b, 3, 3, 2, 0, 0, c);
    conv(c, 3, 3, 1, 1, 1, c);
    conv(b, 1, 1, 2, 0, 0, c);
    add(8 * 8 * 64);
    mean(c);
    dense(64, 10);
    softmax(10);
}

int main(void)
{
    fill();
    NET();
    print_number(all_ticks);
    print(" ticks\n");
    return 0;
}
