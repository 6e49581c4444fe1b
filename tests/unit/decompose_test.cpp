// Functions made of operators, beside those of the C library in float64 and beside Python's on integers: on every pair of edges and on
// numbers of all sizes, in each type.
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/math.h"
#include "tests/unit/made_of_operators.h"

using namespace quern;
using namespace quern::decompose;

BOOST_AUTO_TEST_SUITE(decompose)

namespace {

using Make = Term (*)(const Term& a, const Term& b);

Tensor computed(Make make, const Tensor& a, const Tensor& b) {
    return made([&](const std::vector<Term>& x) { return make(x[0], x[1]); }, {a, b});
}

struct Row {
    const char* name;
    Make make;
    double (*want)(double a, double b);
    double units = 2;       // in the last place, of float16 and float32
    double within = 1e-14;  // of the result, in float64
    bool positive = false;  // is asked of positive numbers only, and not where it is 0
    bool differs = false;   // is a difference of operands: units are those of the greater one
};

double python_floor_divide(double a, double b) {
    if (b == 0) return a / b;
    const double rest = std::fmod(a, b), whole = (a - rest) / b - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
    return std::nearbyint(whole) == 0 ? std::copysign(0.0, a / b) : std::nearbyint(whole);
}
double python_remainder(double a, double b) {
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
double log_sum(double a, double b) {
    const double apart = a == b ? 0 : std::abs(a - b);
    return std::fmax(a, b) + std::log1p(std::exp(-apart));
}

double softplus_of(double a, double) { return (a > 0 || std::isnan(a) ? a : 0) + std::log1p(std::exp(-std::abs(a))); }

const Row rows[] = {
    {"floor_divide", floor_divide, python_floor_divide, 2, 0},
    {"floor_remainder", floor_remainder, python_remainder, 1},
    {"truncated_remainder", truncated_remainder, [](double a, double b) { return std::fmod(a, b); }, 0, 0},
    {"truncated", [](const Term& a, const Term&) { return truncated(a); }, [](double a, double) { return std::trunc(a); }, 0, 0},
    {"fraction", [](const Term& a, const Term&) { return fraction(a); }, [](double a, double) { return a - std::trunc(a); }, 0, 0},
    {"copy_sign", copy_sign, [](double a, double b) { return std::isnan(b) ? std::abs(a) : std::copysign(a, b); }, 0, 0},
    {"sign_or_zero", [](const Term& a, const Term&) { return sign_or_zero(a); }, [](double a, double) { return double((a > 0) - (a < 0)); },
     0, 0},
    {"log2", [](const Term& a, const Term&) { return logarithm(a, 2); }, [](double a, double) { return std::log2(a); }},
    {"log10", [](const Term& a, const Term&) { return logarithm(a, 10); }, [](double a, double) { return std::log10(a); }},
    {"log1p", [](const Term& a, const Term&) { return log1p(a); }, [](double a, double) { return std::log1p(a); }, 3},
    {"expm1", [](const Term& a, const Term&) { return expm1(a); }, [](double a, double) { return std::expm1(a); }, 4},
    {"erfc", [](const Term& a, const Term&) { return erfc(a); }, [](double a, double) { return std::erfc(a); }, 1, 1e-12},
    {"erf", [](const Term& a, const Term&) { return erf(a); }, [](double a, double) { return std::erf(a); }, 6, 4e-7},
    {"softplus", [](const Term& a, const Term&) { return softplus(a); }, softplus_of, 4},
    {"softsign", [](const Term& a, const Term&) { return softsign(a); }, [](double a, double) { return a / (1 + std::abs(a)); }, 3},
    {"mish", [](const Term& a, const Term&) { return mish(a); }, [](double a, double b) { return a * std::tanh(softplus_of(a, b)); }, 10},
    {"elu", [](const Term& a, const Term&) { return elu(a, 1, 0.75, 0.5); },
     [](double a, double) { return a > 0 ? a : 0.75 * std::expm1(2 * a) + 0.0; }, 4},
    {"hypot", hypot, [](double a, double b) { return std::hypot(a, b); }, 3},
    {"atan", [](const Term& a, const Term&) { return atan(a); }, [](double a, double) { return std::atan(a); }, 2, 1e-7},
    {"atan2", atan2, [](double a, double b) { return std::atan2(a, b); }, 3},
    {"logaddexp", logaddexp, log_sum, 3, 1e-14, false, true},
    {"lgamma", [](const Term& a, const Term&) { return lgamma(a); }, [](double a, double) { return std::lgamma(a); }, 2, 1e-12, true},
};

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

// Edges, powers, and numbers of all sizes.
std::vector<double> operands(const Row& row, DType dtype) {
    const double most = dtype == DType::f16 ? 65504 : dtype == DType::f32 ? 3.4028234e38 : 1.7976931348623157e308;
    const double least = dtype == DType::f16 ? 5.9604645e-8 : dtype == DType::f32 ? 1.4012985e-45 : 4.9406564584124654e-324;
    std::vector<double> all{0.0, -0.0, 1,    -1,   0.5,  -0.5,     2,         3,   -3,   5,     -5,    10,
                            0.1, -0.3, 1e-3, 1024, 1000, infinity, -infinity, nan, most, -most, least, -least};
    for (const double power : {2.0, 10.0})
        for (int i = -6; i < 5; ++i) all.push_back(std::pow(power, i));
    std::mt19937 random(5);
    std::uniform_real_distribution<double> size(dtype == DType::f16 ? -9 : -30, dtype == DType::f16 ? 15 : 30), sign(-1, 1);
    for (int i = 0; i < 40; ++i) all.push_back(std::copysign(std::exp2(size(random)), sign(random)));
    if (row.positive) std::erase_if(all, [](double x) { return x < 1e-300 || x == 1 || x == 2; });
    return all;
}

// Distance in units of the last place that the type has near `size`. Beyond its greatest number the type has infinity, one unit further.
double units(double got, double want, double size, DType dtype) {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : infinity;
    if (got == want) return want == 0 && std::signbit(got) != std::signbit(want) ? infinity : 0;
    const int digits = dtype == DType::f16   ? 11
                       : dtype == DType::f32 ? 24
                                             : 53,
              least = dtype == DType::f16   ? -24
                      : dtype == DType::f32 ? -149
                                            : -1074;
    const double beyond = dtype == DType::f16 ? 65536 : dtype == DType::f32 ? 0x1p128 : infinity;
    const auto finite = [&](double x) { return std::isinf(x) && !std::isinf(size) ? std::copysign(beyond, x) : x; };
    return std::abs(finite(got) - finite(want)) / std::exp2(std::max(std::ilogb(size) + 1 - digits, least));
}

}  // namespace

BOOST_AUTO_TEST_CASE(floats) {
    for (const DType dtype : {DType::f16, DType::f32, DType::f64}) {
        for (const Row& row : rows) {
            const std::vector<double> edges = operands(row, dtype);
            std::vector<double> a, b;
            for (const double x : edges)
                for (const double y : edges) a.push_back(x), b.push_back(y);
            const Dims dims{static_cast<int64_t>(a.size())};
            const Tensor left = from_doubles(dtype, dims, a), right = from_doubles(dtype, dims, b);
            a = to_doubles(left), b = to_doubles(right);
            const Tensor made = computed(row.make, left, right);
            BOOST_REQUIRE(made.dtype == dtype && made.dims == dims);
            const std::vector<double> got = to_doubles(made);
            int wrong = 0;
            for (size_t i = 0; i < a.size() && wrong < 5; ++i) {
                const double exact = row.want(a[i], b[i]), want = to_doubles(from_doubles(dtype, {1}, std::array{exact}))[0];
                const bool near = dtype == DType::f64 && std::abs(got[i] - want) <= row.within * std::abs(want);
                const double size = row.differs ? std::max({std::abs(exact), std::abs(a[i]), std::abs(b[i])}) : exact;
                const double apart = near ? 0 : units(got[i], want, size, dtype);
                if (apart <= row.units) continue;
                ++wrong;
                BOOST_ERROR(row.name << " of " << name_of(dtype) << " " << a[i] << ", " << b[i] << ": " << got[i] << ", want " << want
                                     << ", " << apart << " units");
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(integers) {
    constexpr int64_t wide = (int64_t{1} << 53) + 1, most = (int64_t{1} << 62) + 3;
    const std::vector<int64_t> some{1, -1, 2, -2, 3, -3, 7, -7, 10, 100, -100, 12345, wide, -wide, most, -most};
    std::vector<int64_t> a, b;
    for (const int64_t x : some)
        for (const int64_t y : some) a.push_back(x), b.push_back(y);
    const Dims dims{static_cast<int64_t>(a.size())};
    const Tensor left = Tensor::vector<int64_t>(a), right = Tensor::vector<int64_t>(b);
    const auto quotient = to_ints(computed(floor_divide, left, right)), rest = to_ints(computed(floor_remainder, left, right)),
               cut = to_ints(computed(truncated_quotient, left, right));
    for (size_t i = 0; i < a.size(); ++i) {
        const int64_t remainder = ((a[i] % b[i]) + b[i]) % b[i];
        BOOST_TEST(rest[i] == remainder);
        BOOST_TEST(quotient[i] == (a[i] - remainder) / b[i]);
        BOOST_TEST(cut[i] == a[i] / b[i]);
    }
}

BOOST_AUTO_TEST_CASE(unequal) {
    constexpr int64_t wide = (int64_t{1} << 53) + 1;
    const auto make = [](const std::vector<Term>& x) { return not_equal(x[0], x[1]); };
    const Tensor a = Tensor::vector<double>(std::vector<double>{0.0, nan, infinity, 1}),
                 b = Tensor::vector<double>(std::vector<double>{-0.0, nan, infinity, -1});
    BOOST_TEST(to_ints(made(make, {a, b})) == (std::vector<int64_t>{0, 1, 0, 1}), boost::test_tools::per_element());
    const Tensor c = Tensor::vector<int64_t>(std::vector<int64_t>{wide, wide}),
                 d = Tensor::vector<int64_t>(std::vector<int64_t>{wide - 1, wide});
    BOOST_TEST(to_ints(made(make, {c, d})) == (std::vector<int64_t>{1, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(not_numbers) {
    const auto make = [](const std::vector<Term>& x) { return is_nan(x[0]); };
    const Tensor x = Tensor::vector<double>(std::vector<double>{0.0, nan, infinity, -nan, -1});
    BOOST_TEST(to_ints(made(make, {x})) == (std::vector<int64_t>{0, 1, 0, 1, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(clipped) {
    const auto make = [](const std::vector<Term>& x) { return between<-1, 6>(x[0]); };
    const Tensor x = Tensor::vector<float>(std::vector<float>{-0.0f, -1e30f, 6.5f, 6, static_cast<float>(infinity), 1e-40f});
    BOOST_TEST(to_floats(made(make, {x})) == (std::vector<float>{0, -1, 6, 6, 6, 1e-40f}), boost::test_tools::per_element());
    const Tensor wide = Tensor::vector<int64_t>(std::vector<int64_t>{(int64_t{1} << 53) + 1, -2, 0});
    BOOST_TEST(to_ints(made(make, {wide})) == (std::vector<int64_t>{6, -1, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(vector_products) {
    const auto along = [](int64_t axis) { return [axis](const std::vector<Term>& x) { return cross(x[0], x[1], axis); }; };
    const Tensor a = Tensor::make<float>({1, 3}, std::vector<float>{1, 2, 3}), b = Tensor::make<float>({1, 3}, std::vector<float>{4, 5, 6});
    BOOST_TEST(to_floats(made(along(-1), {a, b})) == (std::vector<float>{-3, 6, -3}), boost::test_tools::per_element());
    const Tensor c = Tensor::make<float>({3, 1}, std::vector<float>{0, 0, 1}), d = Tensor::make<float>({3, 1}, std::vector<float>{0, 2, 0});
    BOOST_TEST(to_floats(made(along(0), {c, d})) == (std::vector<float>{-2, 0, 0}), boost::test_tools::per_element());
    const Tensor none = Tensor::make<float>({0, 3}, {});
    BOOST_TEST((made(along(-1), {none, none}).dims == Dims{0, 3}));
}

BOOST_AUTO_TEST_CASE(of_nothing) {
    for (const Row& row : rows) {
        const Tensor none = from_doubles(DType::f32, {0}, {});
        BOOST_TEST((computed(row.make, none, none).dims == Dims{0}), row.name);
    }
}

// ---- index.h ----

namespace {

Tensor reals(const std::vector<float>& items) { return Tensor::vector<float>(items); }
Tensor ints(const std::vector<int64_t>& items) { return Tensor::vector<int64_t>(items); }
constexpr float endless = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t beyond = (int64_t{1} << 53) + 1;  // no float64 is this

}  // namespace

BOOST_AUTO_TEST_CASE(buckets) {
    const std::vector<float> edges{-endless, -1, -0.0f, 0, 1, 1.5f, endless, none};
    const auto at_or_below = [](const std::vector<Term>& x) { return bucket(x[0], x[1], ops::GreaterOrEqual, DType::i32); };
    const auto below = [](const std::vector<Term>& x) { return bucket(x[0], x[1], ops::Greater, DType::i64); };
    const Tensor bounds = reals({-1, 0, 1, 1});
    // numpy.searchsorted(bounds, x, side) says the same, but for NaN, which no bound is at or below
    BOOST_TEST(to_ints(made(at_or_below, {reals(edges), bounds})) == (std::vector<int64_t>{0, 1, 2, 2, 4, 4, 4, 0}),
               boost::test_tools::per_element());
    BOOST_TEST(to_ints(made(below, {reals(edges), bounds})) == (std::vector<int64_t>{0, 0, 1, 1, 2, 4, 4, 0}),
               boost::test_tools::per_element());
    BOOST_TEST(
        to_ints(made(below, {ints({beyond - 1, beyond, beyond + 1}), ints({beyond - 1, beyond})})) == (std::vector<int64_t>{0, 1, 2}),
        boost::test_tools::per_element());
    BOOST_TEST((made(below, {reals({}), bounds}).dims == Dims{0}));
    BOOST_TEST(to_ints(made(below, {reals({5}), reals({})})) == std::vector<int64_t>{0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(hot_ones) {
    const auto make = [](const std::vector<Term>& x) { return one_hot(x[0], x[1], x[2], x[3], -1); };
    const std::vector<Tensor> rest{Tensor::scalar<int64_t>(3), Tensor::scalar<float>(7), Tensor::scalar<float>(-0.5f)};
    const auto hot = [&](const std::vector<int64_t>& places) { return made(make, {ints(places), rest[0], rest[1], rest[2]}); };
    BOOST_TEST(to_floats(hot({0, 2})) == (std::vector<float>{7, -0.5f, -0.5f, -0.5f, -0.5f, 7}), boost::test_tools::per_element());
    for (const int64_t outside : {int64_t{-1}, int64_t{-3}, int64_t{3}, beyond, INT64_MIN})
        BOOST_TEST(to_floats(hot({outside})) == (std::vector<float>{-0.5f, -0.5f, -0.5f}), boost::test_tools::per_element());
    BOOST_TEST((hot({}).dims == Dims{0, 3}));
}

BOOST_AUTO_TEST_CASE(looked_up) {
    const auto place = [](const std::vector<Term>& x) { return find(x[0], x[1]).place; };
    const auto hits = [](const std::vector<Term>& x) { return find(x[0], x[1]).hits; };
    const Tensor keys = ints({4, beyond, beyond - 1, 4}), x = ints({beyond - 1, 4, 5, beyond, -4});
    BOOST_TEST(to_ints(made(place, {x, keys})) == (std::vector<int64_t>{2, 0, 0, 1, 0}), boost::test_tools::per_element());
    BOOST_TEST(to_ints(made(hits, {x, keys})) == (std::vector<int64_t>{1, 1, 0, 1, 0}), boost::test_tools::per_element());
    BOOST_TEST((made(hits, {ints({}), keys}).dims == Dims{0}));
}

BOOST_AUTO_TEST_CASE(rows_by_number) {
    const auto by = [](std::string_view reduction) {
        return [reduction](const std::vector<Term>& x) { return segments(x[0], x[1], x[2], x[3], reduction); };
    };
    const Tensor data = Tensor::make<float>({4, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, -endless}), ids = ints({2, 0, -1, 2}),
                 three = ints({3});
    const auto zero = Tensor::scalar<float>(0), one = Tensor::scalar<float>(1), low = Tensor::scalar<float>(-9);
    BOOST_TEST(to_floats(made(by("add"), {data, ids, three, zero})) == (std::vector<float>{3, 4, 0, 0, 8, -endless}),
               boost::test_tools::per_element());
    BOOST_TEST(to_floats(made(by("mul"), {data, ids, three, one})) == (std::vector<float>{3, 4, 1, 1, 7, -endless}),
               boost::test_tools::per_element());
    BOOST_TEST(to_floats(made(by("max"), {data, ids, three, low})) == (std::vector<float>{3, 4, -9, -9, 7, 2}),
               boost::test_tools::per_element());
    const Tensor wide = ints({beyond, 1}), here = ints({0, 0});
    BOOST_TEST(to_ints(made(by("add"), {wide, here, ints({1}), Tensor::scalar<int64_t>(0)})) == std::vector<int64_t>{beyond + 1},
               boost::test_tools::per_element());
    BOOST_TEST(to_floats(made(by("add"), {Tensor::make<float>({0, 2}, {}), ints({}), ints({1}), zero})) == (std::vector<float>{0, 0}),
               boost::test_tools::per_element());
    constexpr size_t million = 1'000'000;
    const Tensor many = ints(std::vector<int64_t>(million, 3)), first = ints(std::vector<int64_t>(million, 1));
    BOOST_TEST(to_ints(made(by("add"), {many, first, ints({2}), Tensor::scalar<int64_t>(0)})) == (std::vector<int64_t>{0, 3'000'000}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rows_that_begin_with_nothing) {
    const auto begins = [](DType dtype, std::string_view reduction) -> std::optional<double> {
        Graph graph;
        Appender builder(graph);
        const auto empty = nothing({&builder, builder.scalar(5, dtype)}, reduction);
        return empty ? std::optional(to_doubles(*graph.constant(empty->id))[0]) : std::nullopt;
    };
    constexpr double far = std::numeric_limits<float>::max();
    BOOST_TEST((begins(DType::f32, "min") == far && begins(DType::f32, "max") == -far));
    BOOST_TEST((begins(DType::i64, "mul") == 1 && begins(DType::f16, "add") == 0));
    BOOST_TEST((!begins(DType::i64, "max") && !begins(DType::f64, "min")));
    const auto rows = [](const std::vector<Term>& x) { return rows_of(x[0]); };
    BOOST_TEST(to_ints(made(rows, {ints({0, 0, beyond})})) == std::vector<int64_t>{beyond + 1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(chosen_rows) {
    const Tensor a = Tensor::make<float>({2, 2}, std::vector<float>{1, none, -0.0f, endless}),
                 b = Tensor::make<float>({2, 2}, std::vector<float>{5, 6, 7, 8});
    const auto by = [&](const Tensor& condition) {
        const auto make = [&](const std::vector<Term>& x) { return select(x[0], condition.dims.size(), x[1], x[2], 2); };
        return to_floats(made(make, {condition, a, b}));
    };
    const auto truths = [](const Dims& dims, const std::vector<int64_t>& items) { return from_ints(DType::boolean, dims, items); };
    BOOST_TEST(by(truths({2}, {0, 1})) == (std::vector<float>{5, 6, -0.0f, endless}), boost::test_tools::per_element());
    BOOST_TEST(by(truths({1, 2}, {1, 0})) == (std::vector<float>{1, 6, -0.0f, 8}), boost::test_tools::per_element());
    BOOST_TEST(std::isnan(by(truths({}, {1}))[1]));
    const auto of_one = [](const std::vector<Term>& x) { return select(x[0], 1, x[1], x[2], 1); };
    BOOST_TEST(to_ints(made(of_one, {truths({2}, {1, 0}), ints({beyond, 1}), ints({2, beyond})})) == (std::vector<int64_t>{beyond, beyond}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(places) {
    const auto make = [](const std::vector<Term>& x) { return places_of(x[0]); };
    const Tensor got = made(make, {Tensor::make<float>({2, 2}, std::vector<float>{-0.0f, none, 0, 3})});
    BOOST_TEST((got.dims == Dims{2, 2}));
    BOOST_TEST(to_ints(got) == (std::vector<int64_t>{0, 1, 1, 1}), boost::test_tools::per_element());
    BOOST_TEST((made(make, {Tensor::make<float>({2, 0, 3}, {})}).dims == Dims{0, 3}));
}

BOOST_AUTO_TEST_CASE(reductions) {
    const Tensor x = Tensor::make<int64_t>({2, 3}, std::vector<int64_t>{1, 2, beyond, -4, -5, -6});
    const auto over = [&](const std::optional<Dims>& axes, bool keep) {
        const auto make = [&](const std::vector<Term>& in) {
            return reduced(ops::ReduceMax, in[0], {axes, [&] { return in[1].id; }}, keep);
        };
        return made(make, {x, Tensor::scalar<int64_t>(0)});
    };
    BOOST_TEST(to_ints(over(Dims{1, 1}, false)) == (std::vector<int64_t>{beyond, -4}), boost::test_tools::per_element());
    BOOST_TEST((over(Dims{1, 0}, true).dims == Dims{1, 1}));
    BOOST_TEST((over(Dims{}, false).dims == x.dims));
    BOOST_TEST(to_ints(over(std::nullopt, false)) == (std::vector<int64_t>{1, 2, beyond}), boost::test_tools::per_element());
}

// Each result beside the element that it is.
BOOST_AUTO_TEST_CASE(gathered_in_batches) {
    const auto item = [](int64_t b, int64_t i, int64_t k, int64_t r) { return beyond + ((b * 3 + i) * 4 + k) * 2 + r; };
    std::vector<int64_t> all(2 * 3 * 4 * 2), want;
    std::iota(all.begin(), all.end(), beyond);
    const Tensor x = Tensor::make<int64_t>({2, 3, 4, 2}, all);
    const auto taken = [&](const Tensor& places) {
        const auto rank = static_cast<int64_t>(places.dims.size());
        return made([&](const std::vector<Term>& in) { return gather_in_batches(in[0], 4, in[1], rank, 2, 1); }, {x, places});
    };
    const std::vector<int64_t> places{3, 0, 1, 1};
    for (size_t b = 0; b < 2; ++b)
        for (int64_t i = 0; i < 3; ++i)
            for (size_t n = 0; n < 2; ++n)
                for (int64_t r = 0; r < 2; ++r) want.push_back(item(static_cast<int64_t>(b), i, places[2 * b + n], r));
    const Tensor several = taken(Tensor::make<int64_t>({2, 2}, places)), one = taken(ints({3, 0}));
    BOOST_TEST((several.dims == Dims{2, 3, 2, 2} && one.dims == Dims{2, 3, 2}));
    BOOST_TEST(to_ints(several) == want, boost::test_tools::per_element());
    BOOST_TEST((to_ints(one)[5] == item(0, 2, 3, 1) && to_ints(one)[6] == item(1, 0, 0, 0)));
    BOOST_TEST((taken(Tensor::make<int64_t>({2, 0}, {})).dims == Dims{2, 3, 0, 2}));
}

BOOST_AUTO_TEST_CASE(scattered) {
    const auto make = [](const std::vector<Term>& x) { return scatter_nd(x[0], x[1], x[2]); };
    const Tensor got = made(make, {Tensor::make<int64_t>({3, 1}, std::vector<int64_t>{2, 0, 2}), ints({beyond, 7, 1}), ints({4})});
    BOOST_TEST(to_ints(got) == (std::vector<int64_t>{7, 0, beyond + 1, 0}), boost::test_tools::per_element());
    BOOST_TEST((to_floats(made(make, {Tensor::make<int64_t>({0, 1}, {}), reals({}), ints({2})})) == std::vector<float>{0, 0}));
}

BOOST_AUTO_TEST_CASE(shapes_together) {
    const auto both = [](const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
        const auto make = [&](const std::vector<Term>& x) { return broadcast_shapes(x[0], std::ssize(a), x[1], std::ssize(b)); };
        return to_ints(made(make, {ints(a), ints(b)}));
    };
    BOOST_TEST(both({3, 1, 1}, {0, beyond}) == (std::vector<int64_t>{3, 0, beyond}), boost::test_tools::per_element());
    BOOST_TEST(both({}, {1, 2}) == (std::vector<int64_t>{1, 2}), boost::test_tools::per_element());
    BOOST_TEST(both({1}, {1}) == std::vector<int64_t>{1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(diagonals) {
    const auto bits = [](int64_t rows, int64_t columns, int64_t shift) {
        Graph graph;
        Appender builder(graph);
        return to_ints(*graph.constant(diagonal(builder, rows, columns, shift).id));
    };
    BOOST_TEST(bits(2, 3, 0) == (std::vector<int64_t>{1, 0, 0, 0, 1, 0}), boost::test_tools::per_element());
    BOOST_TEST(bits(2, 3, 1) == (std::vector<int64_t>{0, 1, 0, 0, 0, 1}), boost::test_tools::per_element());
    BOOST_TEST(bits(3, 2, -1) == (std::vector<int64_t>{0, 0, 1, 0, 0, 1}), boost::test_tools::per_element());
    BOOST_TEST(bits(0, 2, 0).empty());
}

BOOST_AUTO_TEST_SUITE_END()
