/* Operators as nests of the abc machine. */
#include <math.h>
#include <string.h>

#include "abc_gen.h"

static int is(quern_text text, const char* word) { return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0; }

static const quern_attribute* attribute(const quern_node* node, const char* name) {
    for (size_t i = 0; i < node->attribute_count; ++i)
        if (is(node->attributes[i]->name, name)) return node->attributes[i];
    return NULL;
}

static int64_t integer(const quern_node* node, const char* name, size_t index, int64_t otherwise) {
    const quern_attribute* a = attribute(node, name);
    return a && index < a->count ? a->integers[index] : otherwise;
}

static int64_t stride(const quern_value* value, int32_t axis) {
    int64_t step = 1;
    for (int32_t i = axis + 1; i < value->rank; ++i) step *= value->dims[i];
    return step;
}

/* The step of `value` along an axis of `out`, as ONNX broadcasts. */
static int64_t broadcast_step(const quern_value* value, const quern_value* out, int32_t axis) {
    const int32_t own = axis - (out->rank - value->rank);
    return own < 0 || value->dims[own] == 1 ? 0 : stride(value, own);
}

static size_t result(abc_program* p, const quern_node* node, double x) {
    const size_t to = abc_register(p, node->outputs[0]);
    abc_fill(p, to, abc_count(node->outputs[0]), x);
    return to;
}

static void copy(abc_program* p, const quern_node* node) {
    const size_t from = abc_register(p, node->inputs[0]), to = result(p, node, 0);
    abc_nest nest = {0};
    abc_loop(&nest, abc_count(node->outputs[0]), 1, 1, 0);
    abc_run(p, "set", "first", to, from, from, &nest);
}

/* out = gather(out, op(a, b)) with all broadcast to the shape of `shape`. */
static void elementwise(abc_program* p, const char* gather, const char* op, const quern_value* shape, size_t out, const quern_value* o, size_t a,
                        const quern_value* va, size_t b, const quern_value* vb) {
    abc_nest nest = {0};
    for (int32_t i = 0; i < shape->rank; ++i)
        abc_loop(&nest, shape->dims[i], broadcast_step(o, shape, i), broadcast_step(va, shape, i), broadcast_step(vb, shape, i));
    abc_run(p, gather, op, out, a, b, &nest);
}

static void binary(abc_program* p, const quern_node* node, const char* op) {
    const quern_value *a = node->inputs[0], *b = node->inputs[1], *y = node->outputs[0];
    const size_t ra = abc_register(p, a), rb = abc_register(p, b), to = result(p, node, 0);
    elementwise(p, "set", op, y, to, y, ra, a, rb, b);
}

static void unary(abc_program* p, const quern_node* node, const char* what) {
    copy(p, node);
    abc_map(p, what, abc_register(p, node->outputs[0]));
}

/* ---- windows: convolutions and pools ---- */

typedef struct {
    const quern_value *x, *y;
    int32_t spatial, first, channel; /* spatial dims, the first of them, the axis of channels */
    int64_t kernel[ABC_MAX_RANK], step[ABC_MAX_RANK], dilation[ABC_MAX_RANK], pad[ABC_MAX_RANK], padded[ABC_MAX_RANK];
    int64_t size, strides[ABC_MAX_RANK]; /* of the padded input */
} abc_window;

static int make_window(abc_program* p, const quern_node* node, const quern_value* weight, abc_window* w) {
    const quern_attribute* layout = attribute(node, "layout");
    const quern_attribute* how = attribute(node, "auto_pad");
    const int last = layout && is(layout->texts[0], "NHWC");
    w->x = node->inputs[0];
    w->y = node->outputs[0];
    w->spatial = w->x->rank - 2;
    w->first = last ? 1 : 2;
    w->channel = last ? w->x->rank - 1 : 1;
    if (w->spatial < 1) return abc_fail(p, node, "its input has no spatial dims"), 0;
    for (int32_t i = 0; i < w->spatial; ++i) {
        const int64_t in = w->x->dims[w->first + i], out = w->y->dims[w->first + i];
        w->kernel[i] = weight ? weight->dims[w->first + i] : integer(node, "kernel_shape", (size_t)i, 1);
        w->step[i] = integer(node, "strides", (size_t)i, 1);
        w->dilation[i] = integer(node, "dilations", (size_t)i, 1);
        const int64_t needed = (out - 1) * w->step[i] + (w->kernel[i] - 1) * w->dilation[i] + 1;
        const int64_t over = needed > in ? needed - in : 0;
        w->pad[i] = integer(node, "pads", (size_t)i, 0);
        if (how && is(how->texts[0], "SAME_UPPER")) w->pad[i] = over / 2;
        if (how && is(how->texts[0], "SAME_LOWER")) w->pad[i] = (over + 1) / 2;
        if (how && is(how->texts[0], "VALID")) w->pad[i] = 0;
        w->padded[i] = needed > in + w->pad[i] ? needed : in + w->pad[i];
    }
    w->size = 1;
    for (int32_t axis = w->x->rank - 1; axis >= 0; --axis) {
        const int inner = axis >= w->first && axis < w->first + w->spatial;
        w->strides[axis] = w->size;
        w->size *= inner ? w->padded[axis - w->first] : w->x->dims[axis];
    }
    return 1;
}

/* The input among numbers x that stand for what lies outside of it; `from` with steps of 0: one number for all. */
static size_t pad_input(abc_program* p, const abc_window* w, double x, size_t from, int one) {
    const size_t to = abc_scratch(p);
    abc_nest nest = {0};
    abc_fill(p, to, w->size, x);
    for (int32_t axis = 0; axis < w->x->rank; ++axis) {
        abc_loop(&nest, w->x->dims[axis], w->strides[axis], one ? 0 : stride(w->x, axis), 0);
        if (axis >= w->first && axis < w->first + w->spatial) nest.begin[0] += w->pad[axis - w->first] * w->strides[axis];
    }
    abc_run(p, "set", "first", to, from, from, &nest);
    return to;
}

static void window_loops(const abc_window* w, abc_nest* nest, const quern_value* weight) {
    for (int32_t i = 0; i < w->spatial; ++i)
        abc_loop(nest, w->y->dims[w->first + i], stride(w->y, w->first + i), w->step[i] * w->strides[w->first + i], 0);
    for (int32_t i = 0; i < w->spatial; ++i)
        abc_loop(nest, w->kernel[i], 0, w->dilation[i] * w->strides[w->first + i], weight ? stride(weight, w->first + i) : 0);
}

static void convolution(abc_program* p, const quern_node* node) {
    abc_window w;
    const quern_value* weight = node->inputs[1];
    if (!make_window(p, node, weight, &w)) return;
    const int64_t groups = integer(node, "group", 0, 1), out = w.y->dims[w.channel] / groups, in = w.x->dims[w.channel] / groups;
    const size_t from = abc_register(p, w.x), rw = abc_register(p, weight);
    const size_t padded = pad_input(p, &w, 0, from, 0), to = result(p, node, 0);
    const int64_t yc = stride(w.y, w.channel), wc = stride(weight, w.channel);
    abc_nest nest = {0};
    abc_loop(&nest, w.y->dims[0], stride(w.y, 0), w.strides[0], 0);
    abc_loop(&nest, groups, out * yc, in * w.strides[w.channel], out * stride(weight, 0));
    abc_loop(&nest, out, yc, 0, stride(weight, 0));
    window_loops(&w, &nest, weight);
    abc_loop(&nest, in, 0, w.strides[w.channel], wc);
    abc_run(p, "sum", "mul", to, padded, rw, &nest);
    if (node->input_count < 3 || !node->inputs[2]) return;
    const size_t bias = abc_register(p, node->inputs[2]);
    abc_nest add = {0};
    for (int32_t i = 0; i < w.y->rank; ++i) abc_loop(&add, w.y->dims[i], stride(w.y, i), i == w.channel, 0);
    abc_run(p, "sum", "first", to, bias, bias, &add);
}

static size_t pool_over(abc_program* p, const abc_window* w, const char* gather, size_t to, size_t padded) {
    abc_nest nest = {0};
    abc_loop(&nest, w->y->dims[0], stride(w->y, 0), w->strides[0], 0);
    abc_loop(&nest, w->y->dims[w->channel], stride(w->y, w->channel), w->strides[w->channel], 0);
    window_loops(w, &nest, NULL);
    abc_run(p, gather, "first", to, padded, padded, &nest);
    return to;
}

static void pool(abc_program* p, const quern_node* node, int mean) {
    abc_window w;
    if (!make_window(p, node, NULL, &w)) return;
    const size_t from = abc_register(p, w.x), padded = pad_input(p, &w, mean ? 0 : -INFINITY, from, 0);
    const size_t to = pool_over(p, &w, mean ? "sum" : "max", result(p, node, mean ? 0 : -INFINITY), padded);
    if (!mean) return;
    const size_t one = abc_scratch(p), counts = abc_scratch(p);
    abc_fill(p, one, 1, 1);
    const size_t inside = pad_input(p, &w, integer(node, "count_include_pad", 0, 0) ? 1 : 0, one, 1);
    abc_fill(p, counts, abc_count(w.y), 0);
    pool_over(p, &w, "sum", counts, inside);
    elementwise(p, "set", "div", w.y, to, w.y, to, w.y, counts, w.y);
}

/* ---- products ---- */

static void gemm(abc_program* p, const quern_node* node) {
    const quern_value *a = node->inputs[0], *b = node->inputs[1], *y = node->outputs[0];
    const quern_attribute *alpha = attribute(node, "alpha"), *beta = attribute(node, "beta");
    if ((alpha && alpha->reals[0] != 1) || (beta && beta->reals[0] != 1)) return abc_fail(p, node, "alpha and beta must be 1");
    const int32_t ta = integer(node, "transA", 0, 0) != 0, tb = integer(node, "transB", 0, 0) != 0;
    const size_t ra = abc_register(p, a), rb = abc_register(p, b), to = result(p, node, 0);
    abc_nest nest = {0};
    abc_loop(&nest, y->dims[0], y->dims[1], stride(a, ta), 0);
    abc_loop(&nest, y->dims[1], 1, 0, stride(b, !tb));
    abc_loop(&nest, a->dims[!ta], 0, stride(a, !ta), stride(b, tb));
    abc_run(p, "sum", "mul", to, ra, rb, &nest);
    if (node->input_count < 3 || !node->inputs[2]) return;
    const size_t c = abc_register(p, node->inputs[2]);
    elementwise(p, "sum", "first", y, to, y, c, node->inputs[2], c, node->inputs[2]);
}

static void matmul(abc_program* p, const quern_node* node) {
    const quern_value *a = node->inputs[0], *b = node->inputs[1], *y = node->outputs[0];
    if (a->rank < 2 || b->rank < 2) return abc_fail(p, node, "its operands must be matrices");
    const size_t ra = abc_register(p, a), rb = abc_register(p, b), to = result(p, node, 0);
    abc_nest nest = {0};
    for (int32_t i = 0; i < y->rank - 2; ++i) abc_loop(&nest, y->dims[i], stride(y, i), broadcast_step(a, y, i), broadcast_step(b, y, i));
    abc_loop(&nest, y->dims[y->rank - 2], stride(y, y->rank - 2), stride(a, a->rank - 2), 0);
    abc_loop(&nest, y->dims[y->rank - 1], 1, 0, 1);
    abc_loop(&nest, a->dims[a->rank - 1], 0, 1, stride(b, b->rank - 2));
    abc_run(p, "sum", "mul", to, ra, rb, &nest);
}

/* ---- others ---- */

static void softmax(abc_program* p, const quern_node* node) {
    const quern_value *x = node->inputs[0], *y = node->outputs[0];
    int64_t axis = integer(node, "axis", 0, -1), dims[ABC_MAX_RANK];
    if (axis < 0) axis += x->rank;
    memcpy(dims, x->dims, (size_t)x->rank * sizeof *dims);
    dims[axis] = 1;
    quern_value reduced = *x;
    reduced.dims = dims;
    const size_t from = abc_register(p, x), to = result(p, node, 0), most = abc_scratch(p), sums = abc_scratch(p);
    abc_fill(p, most, abc_count(&reduced), -INFINITY);
    elementwise(p, "max", "first", x, most, &reduced, from, x, from, x);
    elementwise(p, "set", "sub", x, to, y, from, x, most, &reduced);
    abc_map(p, "exp", to);
    abc_fill(p, sums, abc_count(&reduced), 0);
    elementwise(p, "sum", "first", x, sums, &reduced, to, y, to, y);
    elementwise(p, "set", "div", x, to, y, to, y, sums, &reduced);
}

static void transpose(abc_program* p, const quern_node* node) {
    const quern_value *x = node->inputs[0], *y = node->outputs[0];
    const size_t from = abc_register(p, x), to = result(p, node, 0);
    abc_nest nest = {0};
    for (int32_t i = 0; i < y->rank; ++i)
        abc_loop(&nest, y->dims[i], stride(y, i), stride(x, (int32_t)integer(node, "perm", (size_t)i, y->rank - 1 - i)), 0);
    abc_run(p, "set", "first", to, from, from, &nest);
}

void abc_lower(abc_program* p, const quern_node* node) {
    static const char* const copies[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Recode"};
    static const char* const binaries[][2] = {{"Add", "add"}, {"Sub", "sub"}, {"Mul", "mul"}, {"Div", "div"}, {"Max", "max"}};
    static const char* const maps[][2] = {{"Relu", "relu"}, {"Neg", "neg"}, {"Tanh", "tanh"}, {"Sigmoid", "sigmoid"}, {"Exp", "exp"}};
    if (node->body_count > 0) return abc_fail(p, node, "the machine has no control flow");
    for (size_t i = 0; i < sizeof copies / sizeof *copies; ++i)
        if (is(node->op, copies[i])) return copy(p, node);
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; ++i)
        if (is(node->op, binaries[i][0]) && node->input_count == 2) return binary(p, node, binaries[i][1]);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i)
        if (is(node->op, maps[i][0])) return unary(p, node, maps[i][1]);
    if (is(node->op, "Conv")) return convolution(p, node);
    if (is(node->op, "Gemm")) return gemm(p, node);
    if (is(node->op, "MatMul")) return matmul(p, node);
    if (is(node->op, "Softmax")) return softmax(p, node);
    if (is(node->op, "Transpose")) return transpose(p, node);
    if (is(node->op, "MaxPool") && node->output_count == 1) return pool(p, node, 0);
    if (is(node->op, "AveragePool")) return pool(p, node, 1);
    abc_fail(p, node, "the machine has no instructions for it");
}
