#include "tests/codes/real_nets.h"

#include <fmt/core.h>

#include "formats/text/text.h"
#include "libcore/exec/session.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "tests/codes/draw.h"
#include "tests/codes/same.h"

namespace code_tests {
namespace {

using namespace quern;

class RealNet : private Draw {
   public:
    explicit RealNet(uint64_t seed) : Draw(seed) {
        is_image_ = chance(50);
        is_hybrid_ = chance(50);
        if (is_hybrid_) graph_.metadata[profile_key] = chance(50) ? "tflite" : "tflm";
        last_ = chance(40);
        Dims dims{number(1, 2)};
        if (is_image_) {
            for (int64_t rank = chance(70) ? 2 : number(1, 3); rank > 0; --rank) dims.push_back(number(1, 9));
            dims.insert(last_ ? dims.end() : dims.begin() + 1, number(1, 40));
        } else {
            if (chance(30)) dims[0] = number(1, 40);
            for (int64_t i = number(0, 1); i >= 0; --i) dims.push_back(number(1, 70));
        }
        value_ = graph_.add_value("x", Type::tensor(DType::f32, Shape::of(dims)));
        graph_.inputs = {value_};
        for (int64_t i = number(1, 3); i > 0; --i) grow();
        graph_.outputs = {value_};
        infer_types(graph_);
        verify(graph_);
    }

    const Graph& graph() const { return graph_; }

    // Also all 0, all alike, tiny and near overflow.
    Tensor input() {
        const Dims dims = dims_of(graph_.inputs[0]);
        std::vector<float> items(static_cast<size_t>(count_of(dims)));
        const int64_t kind = number(0, 9);
        const float size = kind == 0 ? 1e-38f : kind == 1 ? 1e35f : 0.001f;
        const int64_t low = kind == 2 ? 5 : -1000, high = kind == 3 ? -5 : kind == 2 ? 5 : 1000;
        for (float& item : items) item = kind == 4 ? 0.0f : size * static_cast<float>(number(low, high));
        return Tensor::make<float>(dims, items);
    }

   private:
    Dims dims_of(ValueId id) const { return *graph_.value(id).type.shape.concrete(); }

    ValueId add(OpId op, std::vector<ValueId> in, const Attrs& attrs = {}, std::optional<Encoding> encoding = {}) {
        const ValueId out = graph_.add_value("v" + std::to_string(names_++), Type::tensor(DType::f32, {}));
        graph_.value(out).enc = std::move(encoding);
        graph_.add_node(need_op(op), "n" + std::to_string(names_++), std::move(in), {out}, attrs);
        infer_types(graph_);
        return out;
    }

    ValueId rounded(ValueId x) {
        if (is_hybrid_) return x;
        Encoding dynamic = make_encoding(chance(70) ? DType::u8 : DType::i8, {}, {});
        dynamic.kind = Encoding::Kind::dynamic;
        return add(ops::own::Recode, {x}, {}, dynamic);
    }

    ValueId numbers(const Dims& dims) {
        const ValueId id = graph_.add_value("b" + std::to_string(names_++), Type::tensor(DType::f32, Shape::of(dims)));
        std::vector<float> items(static_cast<size_t>(count_of(dims)));
        for (float& item : items) item = static_cast<float>(number(-1000, 1000)) * scale();
        graph_.value(id).data = Tensor::make<float>(dims, items).data;
        return id;
    }

    Tensor small_codes(const Dims& dims) {
        std::vector<int64_t> items(static_cast<size_t>(count_of(dims)));
        for (int64_t& item : items) item = number(-8, 7);
        return from_ints(DType::i4, dims, items);
    }

    // Weights with one scale or one for each index along `axis`, and any zero points.
    ValueId weights(const Dims& dims, int axis) {
        const DType storage = is_hybrid_ ? chance(80) ? DType::i8 : DType::i4 : chance(60) ? DType::i8 : DType::u8;
        const ValueId id = graph_.add_value("w" + std::to_string(names_++), Type::tensor(DType::f32, Shape::of(dims)));
        graph_.value(id).data = storage == DType::i4 ? small_codes(dims).data : codes(storage, dims).data;
        const bool each = chance(50), plain = is_hybrid_ || chance(50);
        const Dims count = each ? Dims{dims[static_cast<size_t>(axis)]} : Dims{};
        std::vector<float> scales(static_cast<size_t>(count_of(count)));
        for (float& item : scales) item = scale();
        std::vector<int64_t> zeros(scales.size(), storage == DType::u8 ? 128 : 0);
        for (int64_t& zero : zeros)
            if (!plain) zero = storage == DType::i8 ? number(-128, 127) : number(0, 255);
        graph_.value(id).enc =
            make_encoding(storage, Tensor::make<float>(count, scales), from_ints(storage, count, zeros), each ? axis : -1);
        return id;
    }

    void conv() {
        const auto [filter, attrs] = window(dims_of(value_), last_);
        std::vector<ValueId> in{rounded(value_), weights(filter, 0)};
        if (chance(40)) in.push_back(numbers({filter[0]}));
        value_ = add(ops::Conv, in, attrs);
        if (chance(30)) value_ = add(ops::Add, {value_, numbers(last_ ? Dims{filter[0]} : Dims(filter.size() - 1, 1))});
    }

    void matrix() {
        const Dims x = dims_of(value_);
        const int64_t n = number(1, 50), k = x.back();
        const bool gemm = x.size() == 2 && chance(50), transposed = gemm && (is_hybrid_ || chance(50));
        std::vector<ValueId> in{rounded(value_), weights(transposed ? Dims{n, k} : Dims{k, n}, transposed ? 0 : 1)};
        if (gemm && chance(70)) in.push_back(numbers({n}));
        Attrs attrs;
        if (is_hybrid_ && chance(50)) attrs[asymmetric_key] = int64_t{1};
        if (gemm) attrs["transB"] = int64_t{transposed};
        value_ = add(gemm ? ops::Gemm : ops::MatMul, in, attrs);
        if (chance(50)) {
            const ValueId bias = numbers({n});
            value_ = chance(50) ? add(ops::Add, {value_, bias}) : add(ops::Add, {bias, value_});
        }
    }

    void grow() { is_image_ ? conv() : matrix(); }

    Graph graph_;
    ValueId value_;
    bool is_image_, is_hybrid_, last_;
    int names_ = 0;
};

struct Counts {
    size_t products = 0, by_kernels = 0, refused = 0, wrong = 0;
};

Tensor run(const Graph& graph, const CompileOptions& options, const Tensor& input, int threads, Counts* counts = nullptr) {
    ThreadPool pool(threads);
    const auto program = Program::compile(graph, options);
    if (counts)
        for (const Choice& choice : program->choices()) {
            const bool product = choice.op != "Add";
            counts->products += product;
            counts->by_kernels += product && choice.kernel.starts_with("codes");
        }
    Session session(program, pool);
    const std::vector<Stored> inputs{{input, std::nullopt}};
    session.run_stored(inputs);
    return session.run_stored(inputs)[0].tensor;  // in the planned memory
}

// What a run gives, or refuses: infinite numbers between hybrid products.
struct Outcome {
    Tensor result;
    std::string refusal;
    bool operator==(const Outcome& other) const { return refusal == other.refusal && (!refusal.empty() || same(result, other.result)); }
};

Outcome outcome(const RealNet& net, bool reference, const Tensor& input, int threads, Counts* counts = nullptr) {
    try {
        return {run(net.graph(), {.mode = Mode::integer, .reference = reference}, input, threads, counts), ""};
    } catch (const Error& error) {
        return {{}, error.what()};
    }
}

void check(uint64_t seed, Counts& counts) {
    RealNet net(seed);
    const Tensor input = net.input();
    const Outcome wanted = outcome(net, true, input, 1);
    counts.refused += !wanted.refusal.empty();
    for (const int threads : {1, 3}) {
        const Outcome got = outcome(net, false, input, threads, threads == 1 ? &counts : nullptr);
        if (got == wanted) continue;
        fmt::print("seed {}, {} threads: other numbers, or \"{}\", not \"{}\"\n{}\n", seed, threads, got.refusal, wanted.refusal,
                   print_text(net.graph()));
        ++counts.wrong;
        return;
    }
}

}  // namespace

size_t check_real_nets(uint64_t seed, uint64_t count) {
    Counts counts;
    for (uint64_t i = 0; i < count; ++i) check(seed + i, counts);
    fmt::print("{} networks of real results, {} refused; {} steps beside sums, {} of them by kernels on codes\n", count, counts.refused,
               counts.products, counts.by_kernels);
    const bool too_few = counts.by_kernels < counts.products || counts.refused * 10 > count;
    if (too_few) fmt::print("too few of them\n");
    return counts.wrong + (too_few ? 1 : 0);
}

}  // namespace code_tests
