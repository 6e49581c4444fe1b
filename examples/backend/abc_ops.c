/* Which operators abc_back runs, and the one that it brings: com.example.abc.Leaky, y = x > 0 ? x : slope * x. */
#include <string.h>

#include "abc.h"

static int is(quern_text text, const char* word) { return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0; }

static int same_shape(const quern_value* a, const quern_value* b) {
    if (a->rank < 0 || a->rank != b->rank) return 0;
    for (int32_t i = 0; i < a->rank; ++i)
        if (a->dims[i] < 0 || a->dims[i] != b->dims[i]) return 0;
    return 1;
}

static quern_status check_value(const quern_value* value, int integer) {
    if (!value) return abc_fail(QUERN_UNSUPPORTED, "an optional input");
    if (value->dtype != QUERN_FLOAT32) return abc_fail(QUERN_UNSUPPORTED, "value \"%s\" is not float32", value->name.data);
    if (value->rank < 0 || value->rank > ABC_MAX_RANK)
        return abc_fail(QUERN_UNSUPPORTED, "value \"%s\" has rank %d, need 0 to %d", value->name.data, (int)value->rank, ABC_MAX_RANK);
    const quern_encoding* e = value->encoding;
    if (!e || !integer) return QUERN_OK;
    if (e->kind != QUERN_FIXED || e->axis >= 0 || e->min || (e->storage != QUERN_INT8 && e->storage != QUERN_UINT8) ||
        e->scale->dtype != QUERN_FLOAT32)
        return abc_fail(QUERN_UNSUPPORTED, "value \"%s\" is not encoded with one scale as int8 or uint8", value->name.data);
    return QUERN_OK;
}

quern_status abc_check_node(const quern_node* node, int integer, abc_node* out) {
    memset(out, 0, sizeof *out);
    const int own = is(node->domain, "com.example.abc");
    if (own && is(node->op, "Leaky")) {
        out->op = ABC_LEAKY;
        out->slope = 0.25f;
        for (size_t i = 0; i < node->attribute_count; ++i)
            if (is(node->attributes[i]->name, "slope")) out->slope = node->attributes[i]->reals[0];
    } else if (node->domain.size == 0 && is(node->op, "Relu")) {
        out->op = ABC_RELU;
    } else if (node->domain.size == 0 && is(node->op, "Neg")) {
        out->op = ABC_NEG;
    } else if (node->domain.size == 0 && is(node->op, "Add")) {
        out->op = ABC_ADD;
    } else if (node->domain.size == 0 && is(node->op, "Mul")) {
        out->op = ABC_MUL;
    } else {
        return abc_fail(QUERN_UNSUPPORTED, "operator %s is none of Relu, Neg, Add, Mul, Leaky", node->op.data);
    }
    for (size_t i = 0; i < node->input_count; ++i) {
        const quern_status status = check_value(node->inputs[i], integer);
        if (status != QUERN_OK) return status;
    }
    if (node->input_count == 2) {
        if (!same_shape(node->inputs[0], node->inputs[1])) return abc_fail(QUERN_UNSUPPORTED, "its inputs differ in shape");
        if (integer && node->outputs[0]->encoding) return abc_fail(QUERN_UNSUPPORTED, "sums and products of codes");
    }
    return check_value(node->outputs[0], integer);
}

float abc_compute(const abc_node* node, float a, float b) {
    switch (node->op) {
        case ABC_RELU: return a < 0 ? 0 : a; /* keeps NaN and -0 */
        case ABC_NEG: return -a;
        case ABC_ADD: return a + b;
        case ABC_MUL: return a * b;
        default: return a > 0 ? a : node->slope * a;
    }
}

/* ---- Leaky, as quern's own tools compute it ---- */

static quern_status leaky_infer(const quern_infer* infer) {
    const quern_value* x = infer->node->inputs[0];
    if (x->dtype != QUERN_FLOAT32 && x->dtype != QUERN_DTYPE_NONE) {
        infer->fail(infer, "input 0 is not float32");
        return QUERN_BAD_INPUT;
    }
    return infer->set_output(infer, 0, QUERN_FLOAT32, x->rank, x->dims);
}

static quern_status leaky_eval(const quern_eval* eval) {
    abc_node node = {ABC_LEAKY, {0, 0}, 0, 0.25f, 0};
    for (size_t i = 0; i < eval->node->attribute_count; ++i)
        if (is(eval->node->attributes[i]->name, "slope")) node.slope = eval->node->attributes[i]->reals[0];
    const quern_buffer* x = eval->inputs[0];
    if (x->dtype != QUERN_FLOAT32) {
        eval->fail(eval, "input 0 is not float32");
        return QUERN_BAD_INPUT;
    }
    float* y = eval->output(eval, 0, QUERN_FLOAT32, x->rank, x->dims);
    if (!y) return QUERN_IO;
    const float* from = x->data;
    for (size_t i = 0; i < x->size / sizeof(float); ++i) y[i] = abc_compute(&node, from[i], 0);
    return QUERN_OK;
}

static const quern_attribute_def slope = {sizeof slope, "slope", QUERN_ATTR_REAL, "0.25", 0};
static const quern_attribute_def* const leaky_attributes[] = {&slope};
static const quern_custom_op leaky = {
    sizeof leaky, "Leaky", "com.example.abc", "x where it is positive, slope * x elsewhere", 1, 1, 1, 1, 1, leaky_attributes,
    {QUERN_QUANT_OWN, 1, -1, 0, -1, 0, 0}, leaky_infer, leaky_eval, NULL};
const quern_custom_op* const abc_ops[] = {&leaky};
const size_t abc_op_count = 1;
