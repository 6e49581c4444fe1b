// Elements that operators cut out, frame and move, beside loops over their places.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/passes/decompose/fake_quant.h"
#include "libcore/passes/decompose/movement.h"
#include "tests/unit/made_of_operators.h"

using namespace quern;
using namespace quern::decompose;

BOOST_AUTO_TEST_SUITE(decompose_movement)

namespace {

constexpr int64_t beyond = (int64_t{1} << 53) + 1;  // no float64 is this

// beyond, beyond + 1, ...
Tensor counted(const Dims& dims) {
    std::vector<int64_t> items(static_cast<size_t>(count_of(dims)));
    std::iota(items.begin(), items.end(), beyond);
    return Tensor::make<int64_t>(dims, items);
}
Tensor ints(const std::vector<int64_t>& items) { return Tensor::vector<int64_t>(items); }

template <class Fn>
Tensor of_one(const Fn& make, const Tensor& x) {
    return made([&](const std::vector<Term>& in) { return make(in[0]); }, {x});
}

void check(const Tensor& got, const Dims& dims, const std::vector<int64_t>& want) {
    BOOST_TEST(got.dims == dims, boost::test_tools::per_element());
    BOOST_TEST(to_ints(got) == want, boost::test_tools::per_element());
}
void check(const Tensor& got, const Tensor& want) { check(got, want.dims, to_ints(want)); }

// Numbers that are known, or an operand.
Numbers numbers(const Dims& items, const Term& operand, bool known) {
    return {known ? std::optional(items) : std::nullopt, [id = operand.id] { return id; }};
}

}  // namespace

BOOST_AUTO_TEST_CASE(opposite_order) {
    const auto both = [](const std::vector<Term>& x) { return reversed(x[0], {0, -1}); };
    const Tensor x = Tensor::make<int64_t>({2, 3}, std::vector<int64_t>{1, 2, 3, 4, 5, beyond});
    BOOST_TEST(to_ints(made(both, {x})) == (std::vector<int64_t>{beyond, 5, 4, 3, 2, 1}), boost::test_tools::per_element());
    BOOST_TEST((made(both, {Tensor::make<float>({0, 3}, {})}).dims == Dims{0, 3}));
}

BOOST_AUTO_TEST_CASE(swapped) {
    BOOST_TEST((last_two_swapped(0).empty() && last_two_swapped(1) == Dims{0} && last_two_swapped(3) == Dims{0, 2, 1}));
}

BOOST_AUTO_TEST_CASE(sequences) {
    const Tensor x = counted({2, 3, 2});
    const std::vector<int64_t> all{0, 2, 1}, steps{6, 2, 1};
    const auto along = [&](int64_t time, int64_t batch) {
        const Tensor lengths = ints({all.begin(), all.begin() + x.dims[static_cast<size_t>(batch)]});
        return to_ints(made([&](const std::vector<Term>& in) { return reverse_sequence(in[0], 3, in[1], time, batch); }, {x, lengths}));
    };
    for (const auto& [time, batch] : {std::pair{1, 0}, {0, 1}, {1, 2}, {0, 2}}) {
        std::vector<int64_t> want = to_ints(x);
        for (int64_t i = 0; i < 12; ++i) {
            const std::vector<int64_t> at{i / 6, i / 2 % 3, i % 2};
            const auto t = static_cast<size_t>(time);
            const int64_t length = all[static_cast<size_t>(at[static_cast<size_t>(batch)])];
            if (at[t] < length) want[static_cast<size_t>(i)] = beyond + i + (length - 1 - 2 * at[t]) * steps[t];
        }
        BOOST_TEST(along(time, batch) == want, boost::test_tools::per_element());
    }
    BOOST_CHECK_THROW(along(1, 1), Error);
}

BOOST_AUTO_TEST_CASE(turned_round) {
    const auto by = [](int64_t shift, const Tensor& x) {
        return of_one([&](const Term& term) { return rolled(term, shift, 0, x.dims[0]); }, x);
    };
    for (const int64_t shift : {-1000001, -3, -1, 0, 1, 2, 3, 1000000}) {
        std::vector<int64_t> want(3);
        for (int64_t i = 0; i < 3; ++i) want[static_cast<size_t>(((i + shift) % 3 + 3) % 3)] = beyond + i;
        check(by(shift, counted({3})), {3}, want);
    }
    check(by(5, counted({0, 2})), {0, 2}, {});
}

BOOST_AUTO_TEST_CASE(by_size) {
    const Tensor x = counted({2, 3});
    for (const bool starts : {true, false})
        for (const bool known : {true, false}) {
            const auto part = [&](const Dims& from, const Dims& sizes) {
                const auto make = [&](const std::vector<Term>& in) {
                    return slice_of_sizes(in[0], numbers(from, in[1], starts), numbers(sizes, in[2], known));
                };
                return made(make, {x, ints(from), ints(sizes)});
            };
            check(part({1, 0}, {1, 2}), {1, 2}, {beyond + 3, beyond + 4});
            check(part({0, 2}, {-1, 1}), {2, 1}, {beyond + 2, beyond + 5});
            check(part({1, 1}, {-1, -1}), {1, 2}, {beyond + 4, beyond + 5});
            check(part({2, 0}, {0, 3}), {0, 3}, {});
        }
    const auto refused = [&](const Dims& from, const Dims& sizes) {
        of_one([&](const Term& term) { return slice_of_sizes(term, {from, {}}, {sizes, {}}); }, x);
    };
    BOOST_CHECK_THROW(refused({-1, 0}, {1, 1}), Error);
    BOOST_CHECK_THROW(refused({0, 0}, {1, -2}), Error);
    BOOST_CHECK_THROW(refused({0}, {1, 1}), Error);
}

namespace {

Tensor strided(const Tensor& x, const SliceMasks& masks, const Dims& begin, const Dims& end, const Dims& strides, bool known) {
    const auto make = [&](const std::vector<Term>& in) {
        return strided_slice(in[0], x.dims.size(), masks, numbers(begin, in[1], known), numbers(end, in[2], known), strides);
    };
    return made(make, {x, ints(begin), ints(end)});
}

// What Python's x[begin:end:step] is of `length` elements.
std::vector<int64_t> pythons(int64_t length, std::optional<int64_t> begin, std::optional<int64_t> end, int64_t step) {
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? length : length - 1;
    const auto inside = [&](int64_t at) { return std::clamp(at < 0 ? at + length : at, low, high); };
    const int64_t from = begin ? inside(*begin) : step > 0 ? low : high, to = end ? inside(*end) : step > 0 ? high : low;
    std::vector<int64_t> items;
    for (int64_t i = from; step > 0 ? i < to : i > to; i += step) items.push_back(beyond + i);
    return items;
}

}  // namespace

BOOST_AUTO_TEST_CASE(strided_bounds) {
    const Tensor x = counted({5});
    for (const bool known : {true, false})
        for (const int64_t step : {-2, -1, 1, 3})
            for (const int64_t begin : {-7, -5, -1, 0, 2, 4, 6})
                for (const int64_t end : {-7, -5, -1, 0, 2, 5, 7}) {
                    if (step < 0 && begin < -5) continue;  // in front of the first element, where ONNX's Slice begins with it
                    const std::vector<int64_t> want = pythons(5, begin, end, step);
                    check(strided(x, {}, {begin}, {end}, {step}, known), {std::ssize(want)}, want);
                }
    for (const int64_t step : {-2, 1}) {
        const std::vector<int64_t> from_first = pythons(5, std::nullopt, 3, step), to_last = pythons(5, 3, std::nullopt, step);
        check(strided(x, {.begin = 1, .end = 0, .ellipsis = 0, .new_axis = 0, .shrink = 0}, {2}, {3}, {step}, true),
              {std::ssize(from_first)}, from_first);
        check(strided(x, {.begin = 0, .end = 1, .ellipsis = 0, .new_axis = 0, .shrink = 0}, {3}, {0}, {step}, true), {std::ssize(to_last)},
              to_last);
    }
}

BOOST_AUTO_TEST_CASE(strided_entries) {
    const Tensor x = counted({2, 3, 2});
    const auto at = [](int64_t i, int64_t j, int64_t k) { return beyond + (i * 3 + j) * 2 + k; };
    for (const bool known : {true, false}) {
        // x[..., -1], x[1, newaxis], x[-1, :, 0]
        check(strided(x, {.begin = 0, .end = 0, .ellipsis = 1, .new_axis = 0, .shrink = 2}, {0, -1}, {0, 0}, {1, 1}, known), {2, 3},
              {at(0, 0, 1), at(0, 1, 1), at(0, 2, 1), at(1, 0, 1), at(1, 1, 1), at(1, 2, 1)});
        check(strided(x, {.begin = 0, .end = 0, .ellipsis = 0, .new_axis = 2, .shrink = 1}, {1, 0}, {2, 0}, {1, 1}, known), {1, 3, 2},
              {at(1, 0, 0), at(1, 0, 1), at(1, 1, 0), at(1, 1, 1), at(1, 2, 0), at(1, 2, 1)});
        check(strided(x, {.begin = 2, .end = 2, .ellipsis = 0, .new_axis = 0, .shrink = 5}, {-1, 0, 0}, {0, 0, 0}, {1, 1, 1}, known), {3},
              {at(1, 0, 0), at(1, 1, 0), at(1, 2, 0)});
        check(strided(x, {}, {}, {}, {}, known), x);
    }
    const auto lengths = [](const Term& term) { return strided_slice(term, 3, {}, {Dims{0, 1}, {}}, {Dims{2, 1}, {}}, {1, 1}, true); };
    check(of_one(lengths, x), {2, 1, 2}, {at(0, 1, 0), at(0, 1, 1), at(1, 1, 0), at(1, 1, 1)});
    BOOST_CHECK_THROW(strided(x, {}, {0}, {1}, {0}, true), Error);
    BOOST_CHECK_THROW(strided(x, {}, {0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}, true), Error);
    BOOST_CHECK_THROW(strided(x, {.begin = 0, .end = 0, .ellipsis = 3, .new_axis = 0, .shrink = 0}, {0, 0}, {0, 0}, {1, 1}, true), Error);
    BOOST_CHECK_THROW(strided(x, {}, {0, 0}, {1}, {1}, true), Error);
}

BOOST_AUTO_TEST_CASE(along_a_new_axis) {
    const Tensor x = counted({2, 3}), y = ints({1, 2, 3});
    for (const int64_t axis : {0, 1, 2, -1}) {
        const auto there_and_back = [&](const Term& term) {
            const ValueId both = stacked(*term.to, {term, term}, axis);
            return Term{term.to, unstacked({term.to, both}, 2, axis)[1]};
        };
        check(of_one(there_and_back, x), x);
    }
    const auto columns = [](const std::vector<Term>& in) { return stacked(*in[0].to, {in[0], in[1]}, 1); };
    check(made(columns, {y, ints({4, 5, beyond})}), {3, 2}, {1, 4, 2, 5, 3, beyond});
    const auto last = [](const Term& term) { return Term{term.to, unstacked(term, 3, 1)[2]}; };
    check(of_one(last, x), {2}, {beyond + 2, beyond + 5});
    check(of_one(last, counted({0, 3})), {0}, {});
}

BOOST_AUTO_TEST_CASE(sizes_of_parts) {
    const auto of = [](const Dims& sizes, int64_t length) { return part_sizes(sizes, [=] { return length; }); };
    BOOST_TEST((of({2, -1, 1}, 7) == Dims{2, 4, 1} && of({-1}, 0) == Dims{0} && of({3, 4}, -1) == Dims{3, 4}));
    BOOST_TEST(!of({3, -1}, -1));
    BOOST_CHECK_THROW(of({5, -1, 3}, 7), Error);
    BOOST_CHECK_THROW(of({-2, -1}, 7), Error);
}

BOOST_AUTO_TEST_CASE(frames) {
    const Dims pairs{1, 2, 0, 3};
    const Tensor whole = Tensor::make<int64_t>({2, 2}, pairs);
    for (const bool known : {true, false})
        check(of_one([&](const Term& term) { return pads_of(*term.to, numbers(pairs, term, known)); }, whole), {4}, {1, 0, 2, 3});
    // numpy.pad(x, pairs, "symmetric")
    const auto repeated = [](const Dims& around, const Tensor& x) {
        return of_one([&](const Term& term) { return *mirrored(term, x.dims, around); }, x);
    };
    check(repeated({2, 0, 0, 1}, counted({2, 2})), {4, 3},
          {beyond + 2, beyond + 3, beyond + 3, beyond, beyond + 1, beyond + 1, beyond, beyond + 1, beyond + 1, beyond + 2, beyond + 3,
           beyond + 3});
    check(repeated({3, 3}, counted({3})), {9},
          {beyond + 2, beyond + 1, beyond, beyond, beyond + 1, beyond + 2, beyond + 2, beyond + 1, beyond});
    check(repeated({0, 0, 1, 1}, counted({0, 1})), {0, 3}, {});
    BOOST_CHECK_THROW(repeated({3, 0}, counted({2})), Error);
    BOOST_CHECK_THROW(repeated({-1, 0}, counted({2})), Error);
    BOOST_CHECK_THROW(repeated({1, 0, 0}, counted({2})), Error);
    const auto open = [](const Term& term) {
        BOOST_TEST((!mirrored(term, {-1, 2}, {1, 0, 0, 0}) && mirrored(term, {-1, 2}, {0, 0, 0, 0})));
        return term;
    };
    of_one(open, counted({2, 2}));
}

BOOST_AUTO_TEST_CASE(blocks_in_the_batch) {
    const Dims dims{2, 3, 4, 2}, block{2, 3}, pads{1, 0, 0, 2};
    const Tensor x = counted(dims);
    const auto moved = [&](const Term& term) { return *space_to_batch(term, dims, block, pads); };
    std::vector<int64_t> want;
    for (int64_t place = 0; place < 6; ++place)
        for (int64_t n = 0; n < 2; ++n)
            for (int64_t i = 0; i < 2; ++i)
                for (int64_t j = 0; j < 2; ++j)
                    for (int64_t c = 0; c < 2; ++c) {
                        const int64_t row = i * 2 + place / 3 - 1, column = j * 3 + place % 3;
                        want.push_back(row < 0 || column > 3 ? 0 : beyond + ((n * 3 + row) * 4 + column) * 2 + c);
                    }
    check(of_one(moved, x), {12, 2, 2, 2}, want);
    check(of_one([&](const Term& term) { return *batch_to_space(moved(term), {12, 2, 2, 2}, block, pads); }, x), x);
    const Dims open{-1, 3, 4, 2}, none{0, 0, 0, 0};
    check(of_one([&](const Term& term) { return *space_to_batch(term, open, {1, 2}, none); }, counted({0, 3, 4, 2})), {0, 3, 2, 2}, {});
    const auto refused = [&](const Term& term) {
        BOOST_TEST((!space_to_batch(term, {2, -1, 4, 2}, block, pads) && !batch_to_space(term, {2, 3, 4, -1}, block, pads)));
        BOOST_CHECK_THROW(space_to_batch(term, dims, {2, 2}, none), Error);
        BOOST_CHECK_THROW(space_to_batch(term, dims, {0, 1}, none), Error);
        BOOST_CHECK_THROW(space_to_batch(term, dims, {1, 1}, {0, 0, -1, 1}), Error);
        BOOST_CHECK_THROW(space_to_batch(term, dims, {1, 1}, {0, 0}), Error);
        BOOST_CHECK_THROW(space_to_batch(term, dims, {1, 1, 1, 1}, Dims(8, 0)), Error);
        BOOST_CHECK_THROW(batch_to_space(term, dims, {1, 2}, {0, 0, 4, 5}), Error);
        BOOST_CHECK_THROW(batch_to_space(term, dims, {1, int64_t{1} << 32}, none), Error);
        return term;
    };
    of_one(refused, x);
}

BOOST_AUTO_TEST_CASE(blocks_in_the_channels) {
    const Dims dims{2, 4, 6, 3}, open{2, 4, -1, 3}, made{2, 2, 3, 12};
    const Tensor x = counted(dims);
    std::vector<int64_t> want, front;
    for (int64_t n = 0; n < 2; ++n)
        for (int64_t i = 0; i < 2; ++i)
            for (int64_t j = 0; j < 3; ++j)
                for (int64_t place = 0; place < 4; ++place)
                    for (int64_t c = 0; c < 3; ++c) want.push_back(beyond + ((n * 4 + i * 2 + place / 2) * 6 + j * 2 + place % 2) * 3 + c);
    const auto deep = [](const Term& term, const Dims& known) { return channels_and_space(ops::SpaceToDepth, term, known, 2, true); };
    const auto back = [&](const Term& term) { return channels_and_space(ops::DepthToSpace, deep(term, dims), made, 2, true); };
    const auto by_operator = [&](const Term& term) { return channels_and_space(ops::DepthToSpace, deep(term, open), open, 2, true); };
    const auto channels_first = [&](const Term& term) {
        const Term turned = channels_and_space(ops::SpaceToDepth, transposed(term, {0, 3, 1, 2}), {2, 3, 4, 6}, 2, false);
        return transposed(turned, {0, 2, 3, 1});
    };
    check(of_one([&](const Term& term) { return deep(term, dims); }, x), made, want);
    check(of_one([&](const Term& term) { return deep(term, open); }, x), made, want);
    check(of_one(channels_first, x), made, want);
    check(of_one(back, x), x);
    check(of_one(by_operator, x), x);
    const auto refused = [&](const Term& term) {
        BOOST_CHECK_THROW(channels_and_space(ops::SpaceToDepth, term, dims, 3, true), Error);
        BOOST_CHECK_THROW(channels_and_space(ops::DepthToSpace, term, dims, 2, true), Error);
        BOOST_CHECK_THROW(channels_and_space(ops::DepthToSpace, term, dims, 0, true), Error);
        BOOST_CHECK_THROW(channels_and_space(ops::DepthToSpace, term, dims, 1 << 20, true), Error);
        BOOST_CHECK_THROW(channels_and_space(ops::DepthToSpace, term, {2, 4, 6}, 2, true), Error);
        return term;
    };
    of_one(refused, x);
}

// Beside the formula in float32, each step rounded; ends of the range, and what is beyond them.
BOOST_AUTO_TEST_CASE(fake_quantization) {
    constexpr float endless = std::numeric_limits<float>::infinity();
    const std::vector<NudgedRange> ranges{nudged_range(-1, 1.01f, 8, false), nudged_range(0, 6, 4, true), nudged_range(-2, 0, 2, false)};
    std::vector<float> x{-endless, -1.0001f, -1, -0.0f, 0, 1e-30f, 1, 2, endless};
    for (int i = 0; i < 1002; ++i) x.push_back(-2.1f + 0.0082f * static_cast<float>(i));
    const auto expected = [](float item, const NudgedRange& range) {
        const float steps = (std::min(std::max(item, range.bottom), range.top) - range.bottom) * (1.0f / range.scale) + 0.5f;
        return std::floor(steps) * range.scale + range.bottom;
    };
    for (const NudgedRange& range : ranges) {
        BOOST_TEST((range.bottom <= 0 && range.top >= 0 && expected(0, range) == 0));
        const Tensor got = of_one([&](const Term& term) { return fake_quantized(term, std::span(&range, 1)); }, Tensor::vector<float>(x));
        for (size_t i = 0; i < x.size(); ++i) BOOST_TEST(to_floats(got)[i] == expected(x[i], range));
    }
    const Tensor rows = Tensor::make<float>({std::ssize(x) / 3, 3}, x);
    const std::vector<float> got = to_floats(of_one([&](const Term& term) { return fake_quantized(term, ranges, true); }, rows));
    for (size_t i = 0; i < x.size(); ++i) BOOST_TEST(got[i] == expected(x[i], ranges[i % 3]));
    const Tensor none = Tensor::vector<float>(std::vector<float>{std::numeric_limits<float>::quiet_NaN()});
    BOOST_TEST(std::isnan(to_floats(of_one([&](const Term& term) { return fake_quantized(term, std::span(&ranges[0], 1)); }, none))[0]));
}

BOOST_AUTO_TEST_SUITE_END()
