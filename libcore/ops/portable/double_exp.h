#pragma once
#include "libcore/ops/portable/exp_of_sum.h"

/* exp(x) */
static double double_exp(double x) { return exp_of_sum(x, 0.0); }
