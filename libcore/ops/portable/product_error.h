#pragma once

/* a b - product exactly, product being a b rounded; neither factor above 1e200. */
static double product_error(double a, double b, double product) {
    const double wide_a = a * 134217729.0, wide_b = b * 134217729.0;
    const double a1 = wide_a - (wide_a - a), a2 = a - a1, b1 = wide_b - (wide_b - b), b2 = b - b1;
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
}
