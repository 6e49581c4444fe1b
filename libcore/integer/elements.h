#pragma once

#include <stdint.h>

/* Elements of kernels with holes: in generated C what they are stored in, here 64 bits, which hold
 * all codes. */
typedef int64_t CODE, RESULT;
