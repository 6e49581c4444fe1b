#pragma once

/* x^y by squaring, the same on every processor. */
static float whole_power(float x, int32_t y) {
    double base = (double)x, product = 1.0;
    int32_t n;
    for (n = y < 0 ? -y : y; n > 0; n >>= 1, base *= base)
        if (n & 1) product *= base;
    return (float)(y < 0 ? 1.0 / product : product);
}
