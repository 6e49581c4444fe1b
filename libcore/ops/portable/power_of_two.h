#pragma once

/* 2^n, -1022 <= n <= 1023. */
static double power_of_two(int32_t n) {
    union {
        uint64_t bits;
        double real;
    } power;
    power.bits = (uint64_t)(n + 1023) << 52;
    return power.real;
}
