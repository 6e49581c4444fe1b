// What tests of kernels on codes draw.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "libcore/graph/graph.h"

namespace code_tests {

// Codes of a storage type: from `least` on to least + range.
struct Codes {
    int64_t least, range;
    explicit Codes(quern::DType storage)
        : least(storage == quern::DType::i8    ? -128
                : storage == quern::DType::i16 ? -32768
                                               : 0),
          range((int64_t{1} << quern::bits_of(storage)) - 1) {}
};

class Draw {
   public:
    explicit Draw(uint64_t seed) : random_(seed) {}

    int64_t number(int64_t low, int64_t high) { return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1)); }
    bool chance(int percent) { return number(0, 99) < percent; }

    // Codes of 8 or 16 bits, the ends more often than the others.
    quern::Tensor codes(quern::DType storage, const quern::Dims& dims) {
        std::vector<int64_t> items(static_cast<size_t>(quern::count_of(dims)));
        const auto [least, range] = Codes(storage);
        for (int64_t& item : items) item = least + (chance(20) ? range * number(0, 1) : number(0, range));
        return quern::from_ints(storage, dims, items);
    }

    // Most scales as networks have them, some far from it; powers of two put sums on ties.
    float scale() {
        if (chance(25)) return std::ldexp(1.0f, static_cast<int>(number(-9, 2)));
        if (chance(5)) return chance(50) ? 1e-20f : 1e12f;
        return static_cast<float>(number(1, 1000)) * 1e-4f;
    }

    // A filter [M, C/group, kernel...] for data x, or with channels last, and the attributes of its convolution.
    struct Window {
        quern::Dims filter;
        quern::Attrs attrs;
    };
    Window window(const quern::Dims& x, bool last) {
        using quern::Dims;
        const size_t rank = x.size() - 2, at = last ? 1 : 2;
        const int64_t channels = x[last ? x.size() - 1 : 1];
        int64_t group = 1, filters = number(1, 40);
        if (chance(30)) group = filters = channels;
        if (chance(15) && channels % 2 == 0) group = 2, filters *= 2;
        Dims w{filters}, strides, dilations, pads(2 * rank);
        for (size_t i = 0; i < rank; ++i) {
            w.push_back(number(1, 4));
            strides.push_back(chance(70) ? 1 : number(1, 3));
            dilations.push_back(chance(85) ? 1 : 2);
            for (const size_t side : {i, rank + i}) pads[side] = chance(50) ? 0 : number(0, 3);
            while ((w.back() - 1) * dilations.back() + 1 > x[at + i] + pads[i] + pads[rank + i]) --w.back();
        }
        w.insert(last ? w.end() : w.begin() + 1, channels / group);
        quern::Attrs attrs{{"strides", strides}, {"pads", pads}, {"dilations", dilations}, {"group", group}};
        if (last) attrs["layout"] = std::string("NHWC");
        return {w, attrs};
    }

    // The same of a transposed convolution of two spatial dims: a filter [C, M, kernel...].
    Window spread(const quern::Dims& x, bool last) {
        using quern::Dims;
        const size_t at = last ? 1 : 2;
        Dims w{x[last ? 3 : 1]}, strides, pads(4), extra;
        for (size_t i = 0; i < 2; ++i) {
            w.push_back(number(1, 5));
            strides.push_back(chance(30) ? 1 : number(1, 4));
            extra.push_back(chance(60) ? 0 : number(0, strides[i]));
            int64_t spare = (x[at + i] - 1) * strides[i] + w.back() + extra[i] - 1;
            for (const size_t side : {i, i + 2}) spare -= pads[side] = chance(40) ? 0 : number(0, std::min<int64_t>(spare, 3));
        }
        w.insert(last ? w.end() : w.begin() + 1, number(1, 40));
        quern::Attrs attrs{{"strides", strides}, {"pads", pads}, {"output_padding", extra}};
        if (last) attrs["layout"] = std::string("NHWC");
        return {w, attrs};
    }

    // How a Resize computes; those that profiles have kernels for more often than others.
    quern::Attrs resizing() {
        const auto one_of = [this](std::initializer_list<const char*> names) {
            return std::string(names.begin()[number(0, static_cast<int64_t>(names.size()) - 1)]);
        };
        quern::Attrs attrs{{"mode", one_of({"nearest", "linear", "linear", "linear", "cubic"})},
                           {"nearest_mode", one_of({"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"})},
                           {"coordinate_transformation_mode", one_of({"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"})}};
        if (chance(10)) attrs["antialias"] = int64_t{1};
        if (chance(10)) attrs["exclude_outside"] = int64_t{1};
        return attrs;
    }

   private:
    std::mt19937_64 random_;
};

}  // namespace code_tests
