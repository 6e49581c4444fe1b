// The reference's integer products give the sums of the plain texts in libcore/integer, which generated C contains.
#include <boost/test/unit_test.hpp>
#include <random>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/code_pairs.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/spatial_steps.h"
#include "tests/unit/plain_products.h"

using namespace quern;

namespace {

class Draw {
   public:
    int64_t from(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(engine_); }
    // Of 8 bits, of 16, of 16 less a zero point, or all as far from 0 as 8 or 16 bits let them be.
    std::vector<int32_t> numbers(int64_t count, int64_t kind) {
        std::vector<int32_t> out;
        out.reserve(static_cast<size_t>(count) + 1);  // the texts step from row to row, also where these are empty
        out.resize(static_cast<size_t>(count));
        for (int32_t& number : out) number = static_cast<int32_t>(one(kind));
        return out;
    }

   private:
    int64_t one(int64_t kind) {
        switch (kind) {
            case 0: return from(-128, 127);
            case 1: return from(INT16_MIN, INT16_MAX);
            case 2: return from(-65535, 65535);
            case 3: return -255;
            case 4: return INT16_MIN;
            default: return from(0, 1) * 2 * UINT16_MAX - UINT16_MAX;
        }
    }
    std::mt19937_64 engine_{7};
};

struct Geometry {
    size_t rank;
    bool last;
    int64_t batch, group, in_channels, filters;  // channels of a group
    Dims space, kernel, strides, dilations, pads;

    Geometry(Draw& draw, size_t rank_, bool single)
        : rank(rank_),
          last(draw.from(0, 1) == 1),
          batch(draw.from(1, 2)),
          group(single ? 1 : draw.from(1, 3)),
          in_channels(draw.from(1, 3) == 1 ? 1 : draw.from(1, 20)),
          filters(draw.from(1, 7)) {
        for (size_t i = 0; i < rank; ++i) {
            space.push_back(draw.from(3, 8));
            kernel.push_back(draw.from(1, 3));
            strides.push_back(draw.from(1, 3));
            dilations.push_back(single ? 1 : draw.from(1, 2));
        }
        for (size_t i = 0; i < 2 * rank; ++i) pads.push_back(single ? draw.from(0, kernel[i % rank] - 1) : draw.from(0, 3));
    }
    Dims arranged(int64_t outer, int64_t channels, const Dims& inner) const {
        Dims dims{outer, channels};
        dims.insert(dims.end(), inner.begin(), inner.end());
        return last ? to_channels_last(dims) : dims;
    }
    Dims x() const { return arranged(batch, group * in_channels, space); }
    Dims w() const { return arranged(group * filters, in_channels, kernel); }
    Node node(std::string_view op) const {
        Node node;
        node.op = need_op(op, "");
        node.attrs["strides"] = strides;
        node.attrs["pads"] = pads;
        if (op == "Conv") node.attrs["dilations"] = dilations;
        node.attrs["group"] = group;
        if (last) node.attrs["layout"] = std::string("NHWC");
        return node;
    }
};

// By the text, in 64 bits.
std::vector<int64_t> plain(const Geometry& g, const NodeView& node, const Dims& out, const std::vector<int32_t>& x,
                           const std::vector<int32_t>& w) {
    std::vector<int64_t> sums(static_cast<size_t>(count_of(out)));
    const Spatial from(g.x(), g.last, 3), filter(g.w(), g.last, 3), made(out, g.last, 3);
    if (g.rank == 3) {
        volume_t s = volume_sizes(from, made, window_over(node, from, filter.space()), g.group);
        set_filter(s, filter, false);
        conv_volume(x.data(), w.data(), sums.data(), &s);
    } else {
        conv_t s = conv_sizes(from, made, window_in_2d(node, from, filter.space()), g.group);
        set_filter(s, filter, false);
        conv(x.data(), w.data(), sums.data(), &s);
    }
    return sums;
}

std::vector<int32_t> wrapped(const std::vector<int64_t>& sums) { return {sums.begin(), sums.end()}; }

constexpr int64_t kinds = 5;

}  // namespace

BOOST_AUTO_TEST_CASE(convolutions_of_integers_are_those_of_the_texts) {
    Draw draw;
    for (int run = 0; run < 600; ++run) {
        const Geometry g(draw, static_cast<size_t>(draw.from(1, 3)), false);
        const Node node = g.node("Conv");
        const auto x = draw.numbers(count_of(g.x()), draw.from(0, kinds)), w = draw.numbers(count_of(g.w()), draw.from(0, kinds));
        Dims out;
        std::vector<int64_t> wide;
        try {
            wide = integer_conv<int64_t>(NodeView(node), g.x(), x, g.w(), w, out, g.last);
        } catch (const Error&) {
            continue;  // the window is longer than the data
        }
        const auto wanted = plain(g, NodeView(node), out, x, w);
        BOOST_REQUIRE_MESSAGE(wide == wanted, "run " << run << ": " << to_string(g.x()) << " by " << to_string(g.w()));
        BOOST_REQUIRE(integer_conv(NodeView(node), g.x(), x, g.w(), w, out, g.last) == wrapped(wanted));
    }
}

BOOST_AUTO_TEST_CASE(transposed_convolutions_of_integers_are_those_of_the_text) {
    Draw draw;
    for (int run = 0; run < 200; ++run) {
        const Geometry g(draw, 2, true);
        const Node node = g.node("ConvTranspose");
        const Dims w_dims = g.arranged(g.in_channels, g.filters, g.kernel);
        const auto x = draw.numbers(count_of(g.x()), draw.from(0, kinds)), w = draw.numbers(count_of(w_dims), draw.from(0, kinds));
        Dims out;
        const auto sums = integer_conv_transpose(NodeView(node), g.x(), x, w_dims, w, out, g.last);
        conv_t s = conv_sizes(Spatial(g.x(), g.last), Spatial(out, g.last), {g.kernel, g.strides, {1, 1}, {g.pads[0], g.pads[1]}, {}});
        set_filter(s, Spatial(w_dims, g.last), true);
        std::vector<int64_t> wanted(sums.size());
        conv_transposed(x.data(), w.data(), wanted.data(), &s);
        BOOST_REQUIRE_MESSAGE(sums == wanted, "run " << run << ": " << to_string(g.x()) << " by " << to_string(w_dims));
    }
}

BOOST_AUTO_TEST_CASE(matrix_products_of_integers_are_those_of_the_text) {
    Draw draw;
    for (int run = 0; run < 300; ++run) {
        const int64_t m = draw.from(1, 9), k = draw.from(0, 90), n = draw.from(1, 9), batch = draw.from(1, 3);
        const bool transposed = draw.from(0, 1) == 1, shared = draw.from(0, 1) == 1;
        const ProductShape shape = product_shape(Dims{batch, m, k}, shared ? Dims{k, n} : Dims{batch, k, n});
        const auto a = draw.numbers(batch * m * k, draw.from(0, kinds)),
                   b = draw.numbers((shared ? 1 : batch) * k * n, draw.from(0, kinds));
        const auto i32 = to_int32;
        const matmul_t s{i32(batch),
                         i32(m),
                         i32(k),
                         i32(n),
                         i32(m * k),
                         i32(k),
                         1,
                         i32(shared ? 0 : k * n),
                         i32(transposed ? 1 : n),
                         i32(transposed ? k : 1)};
        std::vector<int64_t> wanted(static_cast<size_t>(batch * m * n));
        matmul(a.data(), b.data(), wanted.data(), &s);
        BOOST_REQUIRE_MESSAGE(integer_matmul<int64_t>(shape, a, b, transposed) == wanted, "run " << run);
        BOOST_REQUIRE(integer_matmul(shape, a, b, transposed) == wrapped(wanted));
    }
}

BOOST_AUTO_TEST_CASE(codes_less_zero_points_are_factors) {
    Draw draw;
    for (const DType storage : {DType::u8, DType::i8, DType::u16, DType::i16, DType::u4, DType::i4}) {
        const auto [least, most] = int_range(storage);
        for (const size_t axis : {size_t{0}, size_t{1}, size_t{2}, size_t{3}}) {  // 3: one zero point
            const Dims dims{3, 4, 5};
            std::vector<int64_t> codes(60), zeros(axis == 3 ? 1 : static_cast<size_t>(dims[axis]));
            for (int64_t& code : codes) code = draw.from(least, most);
            for (int64_t& zero : zeros) zero = draw.from(0, 1) == 1 ? least : most;
            const Tensor tensor = from_ints(storage, dims, codes);
            const auto numbers = centered(tensor, zeros, axis);
            const Factors factors(tensor, zeros, axis);
            for (size_t i = 0; i < codes.size(); ++i) {
                const size_t at[] = {i / 20, i / 5 % 4, i % 5, 0};
                int64_t joined = 0, scale = 1;
                for (const Factors::Part& part : factors.parts) {
                    joined += part.items[i] * scale, scale *= 256;
                    BOOST_TEST(std::abs(int64_t{part.items[i]}) <= part.reach);
                }
                BOOST_TEST(numbers[i] == codes[i] - zeros[at[axis]]);
                BOOST_TEST(joined == numbers[i]);
            }
        }
    }
    BOOST_CHECK_THROW(centered(from_ints(DType::u8, {2}, std::vector<int64_t>{1, 2}), std::vector<int64_t>{0, 0, 0}, 0), Error);
}

BOOST_AUTO_TEST_CASE(pairs_of_bytes_have_their_places_in_a_table) {
    const auto fn = [](int32_t a, int32_t b) { return 3 * a - 7 * b; };
    const auto with_sign = table_of_pairs<int16_t>(true, fn), without = table_of_pairs<int16_t>(false, fn);
    int wrong = 0;
    for (int32_t a = 0; a < 256; ++a)
        for (int32_t b = 0; b < 256; ++b) {
            const auto at = static_cast<size_t>(256 * a + b);
            wrong += without[at] != fn(a, b);
            wrong += with_sign[at] != fn(static_cast<int8_t>(a), static_cast<int8_t>(b));
        }
    BOOST_TEST(wrong == 0);
}
