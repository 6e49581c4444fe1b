#pragma once
#include "libcore/ops/portable/double_atan.h"
#include "libcore/ops/portable/square_root.h"

/* acos(x); not a number beyond -1 and 1. */
static double double_acos(double x) {
    if (x > 1.0 || x < -1.0) return (x - x) / (x - x);
    return 2.0 * double_atan(square_root((1.0 - x) / (1.0 + x)));
}
