#pragma once

/* log((1 + f) 2^n), -0.3 < f < 0.42: the series of 2 artanh(s), s = f / (2 + f), without the error of f - f^2 / 2. */
static double log_near_one(double f, int32_t n) {
    const double s = f / (2.0 + f), s2 = s * s, half = 0.5 * f * f;
    double series = 0.0;
    int32_t k;
    for (k = 25; k > 1; k -= 2) series = (series + 2.0 / k) * s2;
    return n * 0.6931471803691238 - ((half - (s * (half + series) + n * 1.9082149292705877e-10)) - f);
}
