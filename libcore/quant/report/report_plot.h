// The pictures of the quantizer's report: SVG that stretches to the width of the page, with its labels as HTML beside it.
#pragma once

#include <string>
#include <vector>

#include "libcore/quant/report/report.h"

namespace quern {

// Counts on a logarithmic scale over what was observed, on a band that the grid covers; what lies outside of it is in the warning colour.
// "": there is no histogram. The picture's contents have the id h<number>.
std::string histogram_picture(const ValueReport& value, size_t number);
// What histogram_picture() drew, once more, as large as there is room for.
std::string histogram_again(size_t number);

// For each channel (or block) the numbers that it has, on a band that its grid covers; "": there are none.
std::string channels_picture(const ValueReport& value);

// A dot for each value at its depth and SQNR, coloured by bits. `order`: of report.values, of which the first `linked` lead to the
// elements v<place in the order>.
std::string depth_picture(const QuantReport& report, const std::vector<size_t>& order, size_t linked);

std::string decibel_text(double value);  // "31.2", "exact", "" if it is not known

}  // namespace quern
