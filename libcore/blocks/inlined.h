// What is compiled into each of its callers, so with the instructions that they have.
#pragma once

#define QUERN_INLINED inline __attribute__((always_inline))
#define QUERN_LAMBDA __attribute__((always_inline))  // between parameters and body
