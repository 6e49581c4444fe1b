#include "libcore/ops/shared/portable_math.h"

// The texts are C.
namespace quern::portable {
namespace {
#include "libcore/ops/portable/erf.h"
#include "libcore/ops/portable/exp_log.h"
#include "libcore/ops/portable/fdlibm_tanh.h"
#include "libcore/ops/portable/hyperbolic.h"
#include "libcore/ops/portable/power.h"
#include "libcore/ops/portable/trigonometric.h"
}  // namespace

double exp(double x) { return double_exp(x); }
double expm1(double x) { return double_expm1(x); }
double log(double x) { return double_log(x); }
double log1p(double x) { return double_log1p(x); }
double pow(double x, double y) { return double_pow(x, y); }
double sin(double x) { return double_sin(x); }
double cos(double x) { return double_cos(x); }
double tan(double x) { return double_tan(x); }
double asin(double x) { return double_asin(x); }
double acos(double x) { return double_acos(x); }
double atan(double x) { return double_atan(x); }
double sinh(double x) { return double_sinh(x); }
double cosh(double x) { return double_cosh(x); }
double tanh(double x) { return double_tanh(x); }
double asinh(double x) { return double_asinh(x); }
double acosh(double x) { return double_acosh(x); }
double atanh(double x) { return double_atanh(x); }
double erf(double x) { return double_erf(x); }
double erfc(double x) { return double_erfc(x); }
float exp(float x) { return float_exp(x); }
float log(float x) { return float_log(x); }
float tanh(float x) { return float_tanh(x); }
float erf(float x) { return float_erf(x); }
float tanh_of_fdlibm(float x) { return fdlibm_tanh(x); }
float pow(float x, float y) { return float_pow(x, y); }

}  // namespace quern::portable
