// What rows say of their operators: each trait holds on small random inputs, and rules name inputs that exist. (That inference agrees
// with evaluation is part of the sweep in hostile_ops_test.cpp.)
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "libcore/graph/op.h"
#include "libcore/graph/summary.h"
#include "libcore/ops/shared/eval_node.h"

using namespace quern;

namespace {

Node node_of(const Op& op, size_t inputs) {
    Node node;
    node.op = &op;
    node.name = "node";
    for (size_t i = 0; i < inputs; ++i) node.in.push_back(static_cast<ValueId>(i));
    node.out.push_back(static_cast<ValueId>(inputs));
    for (const AttrDef& def : op.attrs)
        if (def.required && def.kind == AttrKind::integer) node.attrs[std::string(def.name)] = int64_t{1};
    return node;
}

Tensor random_tensor(DType dtype, const Dims& dims, std::mt19937& random) {
    std::vector<double> items(static_cast<size_t>(count_of(dims)));
    const double low = kind_of(dtype) == NumberKind::unsigned_int ? 0 : -4;
    for (double& item : items) item = std::uniform_real_distribution<double>(low, 4)(random);
    for (double& item : items) item = dtype == DType::boolean ? item > 2 : is_float(dtype) ? item : std::round(item);
    return from_doubles(dtype, dims, items);
}

// The first output, or nothing if the row refuses these inputs.
std::optional<Tensor> eval(const Op& op, const std::vector<Tensor>& in) {
    try {
        return eval_node(node_of(op, in.size()), in).at(0);
    } catch (const Error& error) {
        BOOST_REQUIRE((error.exit() == Exit::bad_input || error.exit() == Exit::unsupported));
        return std::nullopt;
    }
}

size_t arity(const Op& op) {
    const size_t least = has(op.traits, Trait::variadic_in) || has(op.traits, Trait::commutative) ? 2 : 1;
    return std::max<size_t>(op.in.min, least);
}

// Inputs that the row takes: all of one type, or a bool before them. `law` gets those of each element type.
template <class Law>
void for_each_input(const Op& op, const Dims& dims, const Law& law) {
    std::mt19937 random(7);
    for (const DType dtype : {DType::f32, DType::i64, DType::u8, DType::boolean, DType::i32}) {
        for (const bool condition : {false, true}) {
            std::vector<Tensor> in;
            for (size_t i = 0; i < arity(op); ++i) in.push_back(random_tensor(i == 0 && condition ? DType::boolean : dtype, dims, random));
            if (op.types.has(in[0].dtype) && eval(op, in)) law(in);
        }
    }
}

// Sweeps the rows with `trait`; `law` says whether one set of inputs keeps it. Rows that take no such inputs (they need a
// text attribute or scales of another shape) must be among `apart`, and no others.
template <class Law>
void sweep(Trait trait, const Dims& dims, const std::set<std::string>& apart, const Law& law) {
    size_t swept = 0;
    for (const Op* op : all_ops()) {
        if (!op->eval || !has(op->traits, trait) || has(op->traits, Trait::random)) continue;
        bool tried = false;
        for_each_input(*op, dims, [&](const std::vector<Tensor>& in) {
            tried = true;
            BOOST_TEST(law(*op, in), full_name(*op) << " of " << name_of(in.back().dtype));
        });
        swept += tried;
        BOOST_TEST(tried != apart.contains(full_name(*op)), full_name(*op) << (tried ? " can be swept" : " takes none of the inputs"));
    }
    BOOST_TEST(swept > 0u);
}

Tensor element_of(const Tensor& tensor, size_t i) { return from_doubles(tensor.dtype, {1}, std::vector{to_doubles(tensor)[i]}); }

// Evaluation into the memory of input 0.
class InPlace : public EvalCtx {
   public:
    InPlace(const Node& node, std::span<const Tensor> in) : EvalCtx(node), in_(in.begin(), in.end()), memory_(in[0].data.size()) {
        std::copy_n(in[0].data.data(), in[0].data.size(), memory_.data());
        first_ = memory_.data();
        in_[0].data = std::move(memory_).freeze();
    }
    size_t in_count() const override { return in_.size(); }
    size_t out_count() const override { return 1; }
    const Tensor* in(size_t i) const override { return i < in_.size() ? &in_[i] : nullptr; }
    bool wants(size_t i) const override { return i == 0; }
    std::byte* out(size_t, DType dtype, Dims dims) override {
        result = {dtype, std::move(dims), in_[0].data};
        fits = result.dtype == in_[0].dtype && result.dims == in_[0].dims;
        if (!fits) throw unsupported("the output does not fit");
        return first_;
    }
    void give(size_t, Tensor tensor) override { result = std::move(tensor); }
    const Encoding* in_encoding(size_t) const override { return nullptr; }
    const Encoding* out_encoding(size_t) const override { return nullptr; }
    std::vector<Tensor> run_body(size_t, std::span<const Tensor>) override { throw unsupported("bodies"); }
    uint64_t seed() const override { return 0; }

   private:
    std::vector<Tensor> in_;
    MutableBytes memory_;
    std::byte* first_ = nullptr;

   public:
    Tensor result;
    bool fits = true;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(ops_laws)

BOOST_AUTO_TEST_CASE(elementwise_rows_see_one_element) {
    sweep(Trait::elementwise, {6}, {"BitShift"}, [](const Op& op, const std::vector<Tensor>& in) {
        const Tensor whole = *eval(op, in);
        bool same = whole.dims == in.back().dims;
        for (size_t i = 0; same && i < 6; ++i) {
            std::vector<Tensor> one;
            for (const Tensor& tensor : in) one.push_back(element_of(tensor, i));
            const auto part = eval(op, one);
            same = part && identical(*part, element_of(whole, i));
        }
        return same;
    });
}

BOOST_AUTO_TEST_CASE(commutative_rows_do_not_mind_the_order) {
    sweep(Trait::commutative, {2, 3}, {}, [](const Op& op, std::vector<Tensor> in) {
        const Tensor straight = *eval(op, in);
        std::swap(in[0], in[1]);
        return identical(straight, *eval(op, in));
    });
}

BOOST_AUTO_TEST_CASE(idempotent_rows_do_nothing_twice) {
    sweep(Trait::idempotent, {2, 3}, {}, [](const Op& op, std::vector<Tensor> in) {
        in[0] = *eval(op, in);
        return identical(in[0], *eval(op, in));
    });
}

BOOST_AUTO_TEST_CASE(monotone_rows_never_fall) {
    const std::set<std::string> with_scales{"QuantizeLinear", "DequantizeLinear", "com.microsoft.QuantizeLinear",
                                            "com.microsoft.DequantizeLinear"};
    sweep(Trait::monotone, {200}, with_scales, [](const Op& op, std::vector<Tensor> in) {
        auto items = to_doubles(in[0]);
        std::ranges::sort(items);
        in[0] = from_doubles(in[0].dtype, in[0].dims, items);
        for (size_t i = 1; i < in.size(); ++i) in[i] = element_of(in[i], 0);
        const auto out = eval(op, in);
        if (!out) return false;
        auto made = to_doubles(*out);
        std::erase_if(made, [](double x) { return std::isnan(x); });
        return std::ranges::is_sorted(made);
    });
}

BOOST_AUTO_TEST_CASE(in_place_rows_may_overwrite_their_input) {
    sweep(Trait::in_place, {2, 3}, {"BitShift"}, [](const Op& op, const std::vector<Tensor>& in) {
        const Tensor apart = *eval(op, in);
        const Node node = node_of(op, in.size());
        InPlace ctx(node, in);
        try {
            op.eval(ctx);
        } catch (const Error&) {
            return !ctx.fits;
        }
        return identical(ctx.result, apart);
    });
}

BOOST_AUTO_TEST_CASE(rules_name_inputs_that_exist) {
    for (const Op* op : all_ops()) {
        const QuantRule& rule = op->quant;
        if (rule.kind == QuantRule::Kind::keep_float) continue;
        const std::string name = full_name(*op);
        for (int i = op->in.max; i < 32 && !has(op->traits, Trait::variadic_in); ++i)
            BOOST_TEST((rule.activations >> i & 1) == 0u, name << ": activation " << i);
        BOOST_TEST(rule.activations != 0u, name);
        for (const int index : {rule.weight, rule.bias}) BOOST_TEST(index < static_cast<int>(op->in.max), name << ": input " << index);
        BOOST_TEST((rule.bias < 0 || (rule.activations >> rule.bias & 1) == 0), name << ": the bias is an activation, too");
        BOOST_TEST((rule.weight < 0 || rule.weight != rule.bias), name);
        if (rule.kind == QuantRule::Kind::fixed) BOOST_TEST(rule.lo < rule.hi, name);
    }
}

BOOST_AUTO_TEST_SUITE_END()
