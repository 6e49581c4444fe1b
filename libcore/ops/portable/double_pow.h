#pragma once
#include "libcore/ops/portable/size_power.h"

/* x^y, with the results that C99 gives at the ends of the numbers. */
static double double_pow(double x, double y) {
    const double size = x < 0.0 ? -x : x, reach = y < 0.0 ? -y : y;
    const int whole = reach >= 9007199254740992.0 || (reach == reach && (double)(int64_t)reach == reach);
    const int odd = whole && reach < 9007199254740992.0 && ((int64_t)reach & 1);
    const int negative = odd && (x < 0.0 || (x == 0.0 && 1.0 / x < 0.0));
    double power;
    if (x == 1.0 || y == 0.0) return 1.0;
    if (x != x || y != y) return x + y;
    if (x < 0.0 && size - size == 0.0 && !whole) return 0.0 / 0.0;
    if (reach > 1e20 && size == 1.0) return 1.0;
    if (size == 0.0 || size - size != 0.0 || reach > 1e20)
        power = (size > 1.0) == (y > 0.0) ? 1.0 / 0.0 : 0.0;
    else
        power = size_power(size, y);
    return negative ? -power : power;
}
