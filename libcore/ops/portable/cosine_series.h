#pragma once

/* cos(x), |x| <= pi / 4 */
static double cosine_series(double x) {
    const double square = x * x;
    double series = 1.0;
    int32_t k;
    for (k = 18; k > 2; k -= 2) series = 1.0 - series * square / (k * (k - 1));
    return 1.0 - square * series * 0.5;
}
