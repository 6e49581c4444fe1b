#pragma once
#include "libcore/ops/portable/turn_bits.h"

/* x = n pi / 2 + rest, |rest| <= pi / 4; returns n modulo 4. Beyond pi / 4, x = m 2^e: m times the 192 bits of 2 / pi whose weights count
   (those in front are whole turns) has two bits of n and 190 bits after the point. */
static int32_t quarter_turns(double x, double* rest) {
    union {
        double real;
        uint64_t bits;
    } number;
    uint32_t bits[6], product[6];
    uint64_t sum = 0, high, low;
    int32_t k;
    number.real = x;
    *rest = x;
    if (x != x || (x <= 0.7853981633974483 && x >= -0.7853981633974483)) return 0;
    *rest = x - x;
    if (x - x != 0.0) return 0;
    turn_bits((int32_t)(number.bits >> 52 & 0x7ff) - 1013, bits);
    for (k = 0; k < 6; ++k) {
        sum += (uint64_t)bits[k] * (uint32_t)number.bits;
        product[k] = (uint32_t)sum;
        sum >>= 32;
    }
    sum = 0;
    for (k = 0; k < 5; ++k) {
        sum += (uint64_t)bits[k] * (uint32_t)((number.bits >> 32 & 0xfffff) | 0x100000) + product[k + 1];
        product[k + 1] = (uint32_t)sum;
        sum >>= 32;
    }
    high = (uint64_t)product[5] << 32 | product[4];
    low = (uint64_t)product[3] << 32 | product[2];
    k = (int32_t)((high + (1ULL << 61)) >> 62);
    high -= (uint64_t)k << 62;
    *rest = ((double)(int64_t)high + (double)low * 5.421010862427522e-20) * 2.168404344971009e-19 * 1.5707963267948966;
    if (x > 0.0) return k & 3;
    *rest = -*rest;
    return -k & 3;
}
