/* The codegen plugin abc: writes programs for the abc machine, which examples/backend simulates.
 *
 * A program is text, a line each for what the machine knows or does. Its memory are registers of 64-bit floats, numbered from 0.
 *
 *   abc 2 net                              version, name of the model
 *   input %1 float32 1x1x8x8 name=image    a register and its type outside; codes: "uint8 ... scale=0.5 zero=3 qmin=0 qmax=255"
 *   const %0 int8 8x9 name=w axis=0 scale=0.5,0.25 zero=0,0 hex=00ff..   numbers, or codes with a scale for all or for each slice
 *   fill %2 64 0                           a register of 64 numbers that are 0
 *   nest sum mul %2 %1 %0 0:0:0 8:8:0:9 9:0:1:1    for each turn of all loops: %2[i] = sum(%2[i], mul(%1[j], %0[k])); the first triple is
 *                                          where i, j, k begin; then for each loop its count and the steps of i, j, k
 *   map relu %2                            each number; "map round %2 scale zero qmin qmax" puts them on a grid of codes
 *   output %2 float32 1x10 name=scores
 *
 * Names are percent-escaped. Preference "size": no names of constants; "speed": nests say that their operands are fetched ahead.
 * Option strip=yes: no bytes of constants; such a program can be read, not run. */
#ifndef ABC_GEN_H
#define ABC_GEN_H

#include <quern/plugin.h>

enum { ABC_MAX_RANK = 8, ABC_MAX_LOOPS = 16 };

typedef struct {
    const quern_host* host;
    const quern_codegen_request* request;
    const quern_value** values; /* by register; NULL: the machine's own */
    size_t count, capacity;
    size_t instructions;
    int strip;
    quern_status status; /* the first failure: nothing is written after it */
} abc_program;

/* A nest under construction: loops from the outermost. */
typedef struct {
    size_t count;
    int64_t turns[ABC_MAX_LOOPS], step[3][ABC_MAX_LOOPS], begin[3]; /* of out, a, b */
} abc_nest;

/* abc_gen.c */
void abc_fail(abc_program* p, const quern_node* node, const char* why);
size_t abc_register(abc_program* p, const quern_value* value); /* constants are written before their first use */
size_t abc_scratch(abc_program* p);
void abc_fill(abc_program* p, size_t to, int64_t count, double x);
void abc_loop(abc_nest* nest, int64_t turns, int64_t out, int64_t a, int64_t b);
void abc_run(abc_program* p, const char* gather, const char* op, size_t out, size_t a, size_t b, const abc_nest* nest);
void abc_map(abc_program* p, const char* what, size_t to);
int64_t abc_count(const quern_value* value);

/* abc_lower.c: instructions for a node, but for the rounding of its output. */
void abc_lower(abc_program* p, const quern_node* node);

#endif
