#include "tests/codes/products.h"

#include <span>

#include "libcore/kernels/codes/rows_product.h"
#include "tests/codes/differences.h"
#include "tests/codes/stand_in.h"

namespace code_tests {
namespace {

using namespace quern;
using namespace quern::codes;

// Keeps the sums: [results][columns of all groups].
class KeptSums : public TileSink {
   public:
    KeptSums(int64_t results, int64_t width) : sums_(static_cast<size_t>(results * width), 77), width_(width) {}
    void take(const SumsTile& tile) const override {
        for (int r = 0; r < tile.rows; ++r)
            for (int c = 0; c < tile.columns; ++c)
                sums_[static_cast<size_t>((tile.row + r) * width_ + tile.column + c)] = tile.sums[r * block_columns + c];
    }
    const std::vector<int32_t>& sums() const { return sums_; }

   private:
    mutable std::vector<int32_t> sums_;
    int64_t width_;
};

struct Drawn {
    Geometry geometry;
    WeightLayout layout;
    std::vector<uint8_t> data, codes;
    std::vector<int64_t> zeros;
};

Drawn draw(std::mt19937& random) {
    const auto number = [&](unsigned low, unsigned high) { return static_cast<int64_t>(low + random() % (high - low + 1)); };
    Drawn drawn_;
    Geometry& g = drawn_.geometry;
    g.batches = number(1, 2);
    for (const size_t d : {1, 2}) {
        g.kernel[d] = number(1, 3);
        g.stride[d] = number(1, 2);
        g.dilation[d] = number(1, 2);
        g.before[d] = number(0, 2);
        g.in[d] = number(5, 12);
        g.out[d] = (g.in[d] + g.before[d] - (g.kernel[d] - 1) * g.dilation[d] - 1) / g.stride[d] + 1;
    }
    const int64_t groups = number(1, 2), channels = random() % 2 ? number(1, 20) : 4 * number(4, 20), columns = number(1, 40),
                  taps = g.taps();
    drawn_.layout = {groups, columns, taps, channels, taps * channels, channels, 1};
    drawn_.data = drawn(random, static_cast<size_t>(g.in_places() * groups * channels));
    drawn_.codes = drawn(random, static_cast<size_t>(groups * columns * taps * channels));
    drawn_.zeros = {random() % 2 ? 128 : number(0, 255)};
    return drawn_;
}

}  // namespace

size_t check_products(int count) {
    std::mt19937 random(6);
    std::vector<const Dot*> dots = stand_ins();
    dots.insert(dots.end(), all_dots().begin(), all_dots().end());
    size_t wrong = 0;
    for (int i = 0; i < count; ++i) {
        const Drawn some = draw(random);
        const auto x_zero = static_cast<uint8_t>(random());
        const PlainWeights plain{reinterpret_cast<const std::byte*>(some.codes.data()), false, some.zeros};
        const Weights weights(some.layout, plain, {}, x_zero);
        ThreadPool pool(1 + i % 3);
        const auto sums = [&](const Dot& kernel) {
            const KeptSums kept(some.geometry.places(), some.layout.groups * some.layout.columns);
            RowsProduct(some.geometry, {weights, x_zero}, kernel).run({some.data.data()}, kept, pool);
            return kept.sums();
        };
        const std::vector<int32_t> wanted = sums(portable_dot);
        for (const Dot* dot : dots) wrong += differences("products", dot->name, sums(*dot), wanted);
    }
    return wrong;
}

}  // namespace code_tests
