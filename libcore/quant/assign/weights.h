// Encodings of constants: weights per tensor, per channel or in blocks, and int32 biases.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/encoding.h"
#include "libcore/quant/search/search.h"

namespace quern {

// What a method finds of numbers that are known one by one. Throws Exit::bad_input for NaN or infinity.
RealRange search_numbers(std::span<const float> numbers, const GridSpec& spec, const SearchOptions& options);

struct WeightSpec {
    DType storage = DType::i8;
    bool symmetric = true;
    int axis = -1;  // output channels, or with `block` the axis that blocks run along; -1: per tensor
    int64_t block = 0;
    float least_scale = 0;     // no scale is smaller (0: no limit)
    bool half_away = false;    // zero points round half away from zero
    bool clip = true;          // smaller scales may be chosen where a channel's outliers cost less clipped than kept
    bool half_scales = false;  // those of blocks are float16
    bool two_level = false;    // those of blocks are 4-bit integers times a scale of the channel (two_level.h)
    // Not nullptr: scales are what this method finds of a channel's or block's numbers, and `clip` says nothing.
    const Method* method = nullptr;
    double percentile = 0;  // its share of values kept, in percent
    int64_t gates = 0;      // the channels are so many parts, each with one scale; 0: each channel has its own
    bool operator==(const WeightSpec&) const = default;
};

// Symmetric scales are max|w| / qmax, in blocks and per channel likewise; a channel of zeros takes the greatest scale of the others, a
// tensor of zeros scale 1. With `clip`, 4-bit scales, those of channels of at most 128 weights (the greatest may get the codes 100 to
// 135, beyond 127 clipped) and of channels whose greatest weight is far from the rest are the best of some by what their errors make of
// the results: inputs that vary independently about a mean have the sum of squared errors and, `input_offset` times (the mean squared
// over the variance), the squared sum of errors. Throws Exit::bad_input for NaN or infinity.
Encoding weight_encoding(const Tensor& weight, const WeightSpec& spec, double input_offset = 0);

// How far codes are from the weights: 10 log10(signal / noise).
double weight_sqnr_db(const Tensor& weight, const Tensor& codes, const Encoding& encoding);

// What the sum of a product may reach beside its bias: no input code is farther from the zero point than `reach`, and the absolute weights
// of a channel (or of the one that has most) add up to `weights`. Weights too small for any scale add nothing.
struct SumBound {
    double reach = 0;
    std::vector<double> weights = {};
};
SumBound sum_bound(const Tensor& weight, const Encoding& encoding, const Encoding& input);

// The int32 (or int64) encoding of a bias: scale input * weight (one each channel if the weight is per channel). Bias and sum together must
// fit into 31 bits (beside 64-bit biases 47, which is what runtimes multiply); of these the sum takes what it may reach, at most half.
// Where they would not fit, the weight's scale is enlarged; the names of what was enlarged are the channels in `enlarged`. A channel whose
// weights add up to nothing has the scale by which its bias is exact: any other is as right for the weights.
struct BiasEncoding {
    Encoding bias;
    Encoding weight;               // with these scales
    std::vector<size_t> enlarged;  // channels
};
BiasEncoding bias_encoding(const Tensor& bias, float input_scale, const Encoding& weight, DType storage = DType::i32,
                           const SumBound& sum = {});

}  // namespace quern
