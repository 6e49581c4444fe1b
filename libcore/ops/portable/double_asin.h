#pragma once
#include "libcore/ops/portable/double_atan.h"
#include "libcore/ops/portable/square_root.h"

/* asin(x); not a number beyond -1 and 1. */
static double double_asin(double x) { return double_atan(x / square_root((1.0 - x) * (1.0 + x))); }
