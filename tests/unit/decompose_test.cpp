// Functions made of operators, beside those of the C library in float64 and beside Python's on integers: on every pair of edges and on
// numbers of all sizes, in each type.
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "libcore/exec/session.h"
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

// The function of two vectors, on the reference rows.
Tensor computed(Make make, const Tensor& a, const Tensor& b, bool reference = true) {
    Graph graph;
    const auto input = [&](const char* name, const Tensor& x) {
        const ValueId id = graph.add_value(name, Type::tensor(x.dtype, Shape::of(x.dims)));
        graph.inputs.push_back(id);
        return id;
    };
    Alone builder(graph);
    const Term x{&builder, input("a", a)}, y{&builder, input("b", b)};
    graph.outputs = {make(x, y).id};
    verify(graph);
    ThreadPool pool(1);
    CompileOptions options;
    options.reference = reference;
    Session session(Program::compile(graph, options), pool);
    return session.run(std::vector{a, b}).at(0);
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

BOOST_AUTO_TEST_SUITE_END()
