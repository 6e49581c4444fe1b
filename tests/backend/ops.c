/* An op package alone: com.example.ops.Third, y = x / 3, in plain numbers; on int8 codes by an integer rule of its own, which differs from
 * the rounded numbers: it truncates. -DOPS_<way> breaks it. */
#include <quern/backend.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a constructor does is done in the process of the library. */
__attribute__((constructor)) static void begin(void) {
#ifdef OPS_loads_long
    for (volatile int i = 0;; i = !i) continue;
#endif
#ifdef OPS_second_time
    /* Well-behaved as long as it is looked at, and never after. */
    if (access("seen", F_OK) == 0) abort();
    FILE* file = fopen("seen", "w");
    if (file) fclose(file);
#endif
}

static quern_status infer(const quern_infer* infer) {
    const quern_value* x = infer->node->inputs[0];
    return infer->set_output(infer, 0, x->dtype, x->rank, x->dims);
}

static quern_status eval(const quern_eval* eval) {
    const quern_buffer* x = eval->inputs[0];
    if (x->dtype != QUERN_FLOAT32) {
        eval->fail(eval, "input 0 is not float32");
        return QUERN_BAD_INPUT;
    }
#ifdef OPS_crash
    *(volatile int*)(size_t)16 = 1;
#endif
#ifdef OPS_exit
    exit(0);
#endif
#ifdef OPS_stuck
    for (volatile int i = 0;; i = !i) continue;
#endif
#ifdef OPS_nothing
    return QUERN_OK;
#endif
    float* y = eval->output(eval, 0, QUERN_FLOAT32, x->rank, x->dims);
    if (!y) return QUERN_IO;
#ifdef OPS_type
    eval->output(eval, 0, QUERN_INT8, x->rank, x->dims);
    return QUERN_OK;
#endif
#ifdef OPS_shape
    eval->output(eval, 0, QUERN_FLOAT32, 1, x->dims);
    return QUERN_OK;
#endif
    for (size_t i = 0; i < x->size / sizeof *y; ++i) y[i] = ((const float*)x->data)[i] / 3;
    return QUERN_OK;
}

/* The output has the input's scale and zero point: the rule below asks for that. */
static quern_status eval_codes(const quern_eval* eval) {
    const quern_buffer* x = eval->inputs[0];
    const quern_encoding* e = eval->input_encodings[0];
    if (!e || e->storage != QUERN_INT8 || !eval->output_encodings[0]) {
        eval->fail(eval, "input 0 is not encoded as int8");
        return QUERN_UNSUPPORTED;
    }
#ifdef OPS_codes_fail
    eval->fail(eval, "no codes today");
    return QUERN_UNSUPPORTED;
#endif
    const int zero = e->zero ? *(const int8_t*)e->zero->data : 0;
    int8_t* y = eval->output(eval, 0, QUERN_INT8, x->rank, x->dims);
    if (!y) return QUERN_IO;
    for (size_t i = 0; i < x->size; ++i) y[i] = (int8_t)((((const int8_t*)x->data)[i] - zero) / 3 + zero);
    return QUERN_OK;
}

static const quern_custom_op third = {sizeof third, "Third", "com.example.ops", "a third", 1, 1, 1, 1, 0, NULL,
#ifdef OPS_rule
                                      {99, 1, -1, 0, -1, 0, 0},
#else
                                      {QUERN_QUANT_SAME_AS_INPUT, 1, -1, 0, -1, 0, 0},
#endif
                                      infer, eval,
#ifdef OPS_numbers
                                      NULL
#else
                                      eval_codes
#endif
};
static const quern_custom_op* const ops[] = {&third};
#ifdef OPS_version
static const quern_op_package package = {sizeof package, 99, "ops", 1, ops};
#else
static const quern_op_package package = {sizeof package, QUERN_BACKEND_ABI, "ops", 1, ops};
#endif

QUERN_EXPORT const quern_op_package* quern_op_package_entry(uint32_t abi) { return abi == QUERN_BACKEND_ABI ? &package : NULL; }
