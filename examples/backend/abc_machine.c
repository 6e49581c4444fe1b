/* The abc machine: registers of 64-bit floats, loops over them. */
#include <math.h>
#include <stdlib.h>

#include "abc_program.h"

/* ---- checks, once for each program ---- */

/* Do all turns of a nest stay within its registers? Steps and turns are below 2^31, loops few: sums cannot overflow 64 bits of double. */
static int stays_inside(const abc_program* p, const abc_instruction* i, int operand) {
    double least = (double)i->begin[operand], most = least;
    for (uint32_t k = 0; k < i->loops; ++k) {
        const double way = (double)(i->turns[k] - 1) * (double)i->step[operand][k];
        if (way < 0)
            least += way;
        else
            most += way;
    }
    return least >= 0 && most < (double)p->regs[i->reg[operand]].count;
}

quern_status abc_check_program(const abc_program* p) {
    for (size_t n = 0; n < p->instruction_count; ++n) {
        const abc_instruction* i = &p->instructions[n];
        if (p->regs[i->reg[0]].constant) return abc_fail(QUERN_BAD_INPUT, "instruction %u writes to a constant", (unsigned)n);
        for (int operand = 0; i->kind == ABC_NEST && operand < 3; ++operand)
            if (!stays_inside(p, i, operand)) return abc_fail(QUERN_BAD_INPUT, "instruction %u leaves its registers", (unsigned)n);
    }
    return QUERN_OK;
}

/* ---- instructions ---- */

static double computed(int op, double a, double b) {
    switch (op) {
        case ABC_OP_ADD: return a + b;
        case ABC_OP_SUB: return a - b;
        case ABC_OP_MUL: return a * b;
        case ABC_OP_DIV: return a / b;
        case ABC_OP_MAX: return a > b ? a : b;
        default: return a;
    }
}

static void gather(const abc_instruction* i, double* out, const double* a, const double* b) {
    const double x = computed(i->op, *a, *b);
    if (i->gather == ABC_SUM)
        *out += x;
    else if (i->gather == ABC_SET || x > *out)
        *out = x;
}

/* The innermost loop is by itself; sums of products, which take nearly all the time, have one of their own. */
static void run_inner(const abc_instruction* i, double* out, const double* a, const double* b) {
    const uint32_t k = i->loops - 1;
    const int64_t turns = i->turns[k], so = i->step[0][k], sa = i->step[1][k], sb = i->step[2][k];
    if (i->gather == ABC_SUM && i->op == ABC_OP_MUL)
        for (int64_t n = 0; n < turns; ++n) out[n * so] += a[n * sa] * b[n * sb];
    else
        for (int64_t n = 0; n < turns; ++n) gather(i, out + n * so, a + n * sa, b + n * sb);
}

static void run_loops(const abc_instruction* i, uint32_t k, double* out, const double* a, const double* b) {
    if (i->loops == 0) return gather(i, out, a, b);
    if (k == i->loops - 1) return run_inner(i, out, a, b);
    for (int64_t n = 0; n < i->turns[k]; ++n) run_loops(i, k + 1, out + n * i->step[0][k], a + n * i->step[1][k], b + n * i->step[2][k]);
}

static double mapped(const abc_instruction* i, double x) {
    switch (i->op) {
        case ABC_MAP_RELU: return x < 0 ? 0 : x;
        case ABC_MAP_NEG: return -x;
        case ABC_MAP_TANH: return tanh(x);
        case ABC_MAP_SIGMOID: return 1 / (1 + exp(-x));
        case ABC_MAP_EXP: return exp(x);
        default: {
            const double code = rint(x / i->x[0]) + i->x[1];
            return ((code < i->x[2] ? i->x[2] : code > i->x[3] ? i->x[3] : code) - i->x[1]) * i->x[0];
        }
    }
}

static void run_instruction(const abc_program* p, double* const* regs, const abc_instruction* i) {
    double* out = regs[i->reg[0]];
    const size_t count = p->regs[i->reg[0]].count;
    if (i->kind == ABC_FILL)
        for (size_t n = 0; n < count; ++n) out[n] = i->x[0];
    else if (i->kind == ABC_MAP)
        for (size_t n = 0; n < count; ++n) out[n] = mapped(i, out[n]);
    else
        run_loops(i, 0, out + i->begin[0], regs[i->reg[1]] + i->begin[1], regs[i->reg[2]] + i->begin[2]);
}

/* ---- runs ---- */

static quern_status run(const abc_program* p, const abc_blob* ports, abc_tensor* tensors, double* const* regs) {
    for (uint32_t i = 0; i < ports->header->input_count; ++i) {
        const abc_reg* reg = &p->regs[p->port_regs[i]];
        if (!tensors[i].data) return abc_fail(QUERN_USAGE, "input %u is not set", (unsigned)i);
        if (tensors[i].count != reg->count) return abc_fail(QUERN_BAD_INPUT, "input %u has another size", (unsigned)i);
        for (size_t n = 0; n < reg->count; ++n) regs[p->port_regs[i]][n] = abc_number(&ports->values[i], &tensors[i], n);
    }
    for (size_t n = 0; n < p->instruction_count; ++n) run_instruction(p, regs, &p->instructions[n]);
    for (uint32_t i = ports->header->input_count; i < ports->header->value_count; ++i) {
        const size_t count = p->regs[p->port_regs[i]].count;
        const quern_status status = abc_make_room(&tensors[i], count);
        if (status != QUERN_OK) return status;
        for (int32_t d = 0; d < ports->values[i].rank; ++d) tensors[i].dims[d] = ports->values[i].dims[d];
        for (size_t n = 0; n < count; ++n) abc_put_number(&ports->values[i], &tensors[i], n, (float)regs[p->port_regs[i]][n]);
    }
    return QUERN_OK;
}

quern_status abc_execute_program(const abc_program* p, const abc_blob* ports, abc_tensor* tensors) {
    double** regs = calloc(p->reg_count + 1, sizeof *regs);
    quern_status status = regs ? QUERN_OK : abc_fail(QUERN_IO, "out of memory");
    for (uint32_t i = 0; status == QUERN_OK && i < p->reg_count; ++i) {
        regs[i] = p->regs[i].constant ? p->regs[i].constant : calloc(p->regs[i].count + 1, sizeof **regs);
        if (!regs[i]) status = abc_fail(QUERN_IO, "out of memory");
    }
    if (status == QUERN_OK) status = run(p, ports, tensors, regs);
    for (uint32_t i = 0; regs && i < p->reg_count; ++i)
        if (!p->regs[i].constant) free(regs[i]);
    free(regs);
    return status;
}
