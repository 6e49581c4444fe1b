// Functions of real numbers that give the same bits on every processor with IEEE arithmetic: no library call, no contraction. All of
// libquern computes with them (tests/libm holds that it imports no others); the texts in portable/ are what the C generated from integer
// models computes with, too. float32: within one unit in the last place; double: within about 25 (erf, erfc) or 5 (all others).
#pragma once

#include <cstddef>
#include <cstdint>

namespace quern::portable {

double exp(double x);
double expm1(double x);
double log(double x);
double log1p(double x);
double pow(double x, double y);
double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double asinh(double x);
double acosh(double x);
double atanh(double x);
double erf(double x);
double erfc(double x);

// Sequences of their own, shorter than those of double.
float exp(float x);
float log(float x);
float tanh(float x);
float erf(float x);
void erf(const float* x, float* y, size_t count);  // the same of each; y may be x
float pow(float x, float y);                       // whole powers up to 64 by squaring

inline float expm1(float x) { return static_cast<float>(expm1(static_cast<double>(x))); }
inline float log1p(float x) { return static_cast<float>(log1p(static_cast<double>(x))); }
inline float sin(float x) { return static_cast<float>(sin(static_cast<double>(x))); }
inline float cos(float x) { return static_cast<float>(cos(static_cast<double>(x))); }
inline float tan(float x) { return static_cast<float>(tan(static_cast<double>(x))); }
inline float asin(float x) { return static_cast<float>(asin(static_cast<double>(x))); }
inline float acos(float x) { return static_cast<float>(acos(static_cast<double>(x))); }
inline float atan(float x) { return static_cast<float>(atan(static_cast<double>(x))); }
inline float sinh(float x) { return static_cast<float>(sinh(static_cast<double>(x))); }
inline float cosh(float x) { return static_cast<float>(cosh(static_cast<double>(x))); }
inline float asinh(float x) { return static_cast<float>(asinh(static_cast<double>(x))); }
inline float acosh(float x) { return static_cast<float>(acosh(static_cast<double>(x))); }
inline float atanh(float x) { return static_cast<float>(atanh(static_cast<double>(x))); }
inline float erfc(float x) { return static_cast<float>(erfc(static_cast<double>(x))); }

// tanh as the C libraries of Linux (glibc before 2.41) and Android compute it, up to 2 units off: LiteRT's tables have its bits.
float tanh_of_fdlibm(float x);

inline double log10(double x) { return log(x) * 0.4342944819032518; }
inline float sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }
inline double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

inline bool is_whole_power(float y) { return y >= -64.0f && y <= 64.0f && y == static_cast<float>(static_cast<int32_t>(y)); }

}  // namespace quern::portable
