// Functions made of operators, beside those of the C library in float64 and beside Python's on integers: on every pair of edges and on
// numbers of all sizes, in each type.
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "libcore/exec/session.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/math.h"

using namespace quern;
using namespace quern::decompose;

BOOST_AUTO_TEST_SUITE(decompose)

namespace {

class Alone : public Builder {
   public:
    explicit Alone(Graph& graph) : graph_(graph), types_(graph) {}
    Graph& graph() override { return graph_; }

   protected:
    ValueId declare(std::string_view what, Type type) override {
        return graph_.add_value(graph_.unique_name(std::string(what)), std::move(type));
    }
    StepInference& types() override { return types_; }

   private:
    Graph& graph_;
    StepInference types_;
};

using Make = Term (*)(const Term& a, const Term& b);

// What `make` is of these operands, on the reference rows.
template <class Fn>
Tensor made(const Fn& make, const std::vector<Tensor>& operands) {
    Graph graph;
    Alone builder(graph);
    std::vector<Term> terms;
    for (const Tensor& x : operands) {
        terms.push_back({&builder, graph.add_value(graph.unique_name("input"), Type::tensor(x.dtype, Shape::of(x.dims)))});
        graph.inputs.push_back(terms.back().id);
    }
    graph.outputs = {make(terms).id};
    verify(graph);
    ThreadPool pool(1);
    CompileOptions options;
    options.reference = true;
    Session session(Program::compile(graph, options), pool);
    return session.run(operands).at(0);
}
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
    {"hypot", hypot, [](double a, double b) { return std::hypot(a, b); }, 3},
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

BOOST_AUTO_TEST_CASE(opposite_order) {
    const auto both = [](const std::vector<Term>& x) { return reversed(x[0], {0, -1}); };
    const Tensor x = Tensor::make<int64_t>({2, 3}, std::vector<int64_t>{1, 2, 3, 4, 5, beyond});
    BOOST_TEST(to_ints(made(both, {x})) == (std::vector<int64_t>{beyond, 5, 4, 3, 2, 1}), boost::test_tools::per_element());
    BOOST_TEST((made(both, {Tensor::make<float>({0, 3}, {})}).dims == Dims{0, 3}));
}

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

BOOST_AUTO_TEST_CASE(diagonals) {
    const auto bits = [](int64_t rows, int64_t columns, int64_t shift) {
        Graph graph;
        Alone builder(graph);
        return to_ints(*graph.constant(diagonal(builder, rows, columns, shift).id));
    };
    BOOST_TEST(bits(2, 3, 0) == (std::vector<int64_t>{1, 0, 0, 0, 1, 0}), boost::test_tools::per_element());
    BOOST_TEST(bits(2, 3, 1) == (std::vector<int64_t>{0, 1, 0, 0, 0, 1}), boost::test_tools::per_element());
    BOOST_TEST(bits(3, 2, -1) == (std::vector<int64_t>{0, 0, 1, 0, 0, 1}), boost::test_tools::per_element());
    BOOST_TEST(bits(0, 2, 0).empty());
}

// Beside the formula in float32, each step rounded; ends of the range, and what is beyond them.
BOOST_AUTO_TEST_CASE(fake_quantization) {
    constexpr float bottom = -1, scale = 2.0f / 255, top = bottom + 255 * scale, inverse = 1.0f / scale;
    std::vector<float> x{-endless, -1.0001f, -1, -0.0f, 0, 0.5f * scale, 1e-30f, top, 2, endless};
    for (int i = 0; i < 1000; ++i) x.push_back(-1.1f + 0.0022f * static_cast<float>(i));
    const auto make = [](const std::vector<Term>& in) {
        const auto number = [&](double item) { return quern::decompose::number(in[0], item); };
        const Term least = number(bottom), most = number(top), step = number(scale);
        return on_steps(in[0], least, most, step, number(inverse));
    };
    const std::vector<float> got = to_floats(made(make, {reals(x)}));
    for (size_t i = 0; i < x.size(); ++i) {
        const float steps = (std::min(std::max(x[i], bottom), top) - bottom) * inverse + 0.5f;
        BOOST_TEST(got[i] == std::floor(steps) * scale + bottom);
    }
    BOOST_TEST(std::isnan(to_floats(made(make, {reals({none})}))[0]));
}

BOOST_AUTO_TEST_SUITE_END()
