// What quantization did to the numbers of a weight, for the report.
#pragma once

#include "libcore/quant/report/report.h"

namespace quern {

// SQNR, extremes, histogram and channels of `report`, whose encoding turned `weight` into `codes`.
void measure_weight(ValueReport& report, const Tensor& weight, const Tensor& codes);
// The SQNR alone, of codes of less than 4 bits: what is said without a report, too.
void measure_few_bits(ValueReport& report, const Tensor& weight, const Tensor& codes);

}  // namespace quern
