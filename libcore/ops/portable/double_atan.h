#pragma once

/* atan(x): of 1 / x beyond 1; the nearest of 0, 1/2 and 1 is taken off, the Taylor series of the rest is short. */
static double double_atan(double x) {
    const double size = x < 0.0 ? -x : x, low = size > 1.0 ? 1.0 / size : size;
    const double near = low < 0.25 ? 0.0 : low < 0.75 ? 0.5 : 1.0, t = (low - near) / (1.0 + low * near), t2 = t * t;
    double series = 0.0, y;
    int32_t k;
    if (x != x || x == 0.0) return x;
    for (k = 27; k > 1; k -= 2) series = (1.0 / k - series) * t2;
    y = (near == 0.0 ? 0.0 : near == 0.5 ? 0.4636476090008061 : 0.7853981633974483) + (t - t * series);
    if (size > 1.0) y = 1.5707963267948966 - (y - 6.123233995736766e-17);
    return x < 0.0 ? -y : y;
}
