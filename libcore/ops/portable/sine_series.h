#pragma once

/* sin(x), |x| <= pi / 4 */
static double sine_series(double x) {
    const double square = x * x;
    double series = 1.0;
    int32_t k;
    if (x == 0.0) return x;
    for (k = 19; k > 3; k -= 2) series = 1.0 - series * square / (k * (k - 1));
    return x - x * square * series / 6.0;
}
