/* A program of the abc machine in memory: examples/plugin/abc_gen.h tells its text. */
#ifndef ABC_PROGRAM_H
#define ABC_PROGRAM_H

#include "abc.h"

enum { ABC_MAX_LOOPS = 16 };
enum { ABC_SET, ABC_SUM, ABC_MOST };
enum { ABC_OP_FIRST, ABC_OP_ADD, ABC_OP_SUB, ABC_OP_MUL, ABC_OP_DIV, ABC_OP_MAX };
enum { ABC_FILL, ABC_NEST, ABC_MAP };
enum { ABC_MAP_RELU, ABC_MAP_NEG, ABC_MAP_TANH, ABC_MAP_SIGMOID, ABC_MAP_EXP, ABC_MAP_ROUND };

typedef struct {
    int kind, gather, op; /* of a map: op is its function */
    uint32_t reg[3];      /* out, a, b */
    double x[4];          /* fill: the number; round: scale, zero, qmin, qmax */
    int64_t begin[3];
    uint32_t loops;
    int64_t turns[ABC_MAX_LOOPS], step[3][ABC_MAX_LOOPS];
} abc_instruction;

typedef struct {
    size_t count;     /* 0: not declared yet */
    double* constant; /* NULL: of each run */
} abc_reg;

struct abc_program {
    abc_reg* regs;
    uint32_t reg_count;
    abc_instruction* instructions;
    size_t instruction_count, instruction_capacity;
    uint32_t* port_regs; /* of the ports' values */
    /* what `ports` shows */
    abc_header header;
    abc_value* values;
    uint32_t* ends;
    char* names;
    size_t name_size;
};

#endif
