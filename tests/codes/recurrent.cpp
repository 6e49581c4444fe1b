#include "tests/codes/recurrent.h"

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

// One layer: LSTM or SVDF on codes, or LSTM, RNN or SVDF of real numbers with int8 weights. States are inputs, and results where asked for.
class Layer : private Draw {
   public:
    explicit Layer(uint64_t seed) : Draw(seed) {
        graph_.metadata[profile_key] = chance(50) ? "tflite" : "tflm";
        is_real_ = chance(50);
        const int64_t kind = number(0, is_real_ ? 2 : 1);
        kind == 0 ? svdf() : recurrent(kind == 1);
        infer_types(graph_);
        verify(graph_);
    }

    const Graph& graph() const { return graph_; }

    std::vector<Stored> inputs() {
        std::vector<Stored> all;
        for (const ValueId id : graph_.inputs) {
            const Value& value = graph_.value(id);
            const Dims dims = *value.type.shape.concrete();
            if (value.enc)
                all.push_back({codes(value.enc->storage, dims), value.enc});
            else
                all.push_back({numbers(dims), std::nullopt});
        }
        return all;
    }

   private:
    // Also all 0 and all alike, tiny and large.
    Tensor numbers(const Dims& dims) {
        std::vector<float> items(static_cast<size_t>(count_of(dims)));
        const int64_t kind = number(0, 9), low = kind == 1 ? 5 : -1000, high = kind == 2 ? -5 : kind == 1 ? 5 : 1000;
        const float size = kind == 0 ? 0.0f : kind == 3 ? 1e-38f : kind == 4 ? 1e15f : 0.001f;
        for (float& item : items) item = size * static_cast<float>(number(low, high));
        return Tensor::make<float>(dims, items);
    }

    ValueId value(const Dims& dims, std::optional<Encoding> encoding) {
        const ValueId id = graph_.add_value("v" + std::to_string(names_++), Type::tensor(DType::f32, Shape::of(dims)));
        graph_.value(id).enc = std::move(encoding);
        return id;
    }
    ValueId input(const Dims& dims, std::optional<Encoding> encoding) {
        graph_.inputs.push_back(value(dims, std::move(encoding)));
        return graph_.inputs.back();
    }
    ValueId constant(const Tensor& data, std::optional<Encoding> encoding) {
        const ValueId id = value(data.dims, std::move(encoding));
        graph_.value(id).data = data.data;
        return id;
    }
    // The first comes always, others half of the time.
    std::vector<ValueId> results(size_t count, std::optional<Encoding> encoding) {
        std::vector<ValueId> out;
        for (size_t i = 0; i < count; ++i) {
            const bool there = i == 0 || chance(50);
            out.push_back(there ? graph_.add_value("y" + std::to_string(i), Type::tensor(DType::f32, {})) : ValueId::none);
            if (there) graph_.outputs.push_back(out.back());
            if (there && chance(30)) graph_.value(out.back()).enc = bytes();
        }
        while (out.back() == ValueId::none) out.pop_back();
        graph_.value(out[0]).enc = std::move(encoding);
        return out;
    }

    std::optional<Encoding> grid(DType storage, int64_t zero, float scale) {
        if (is_real_) return {};
        return make_encoding(storage, Tensor::scalar(scale), from_ints(storage, {}, std::span(&zero, 1)));
    }
    int64_t zero_point() { return chance(30) ? 255 * number(0, 1) - 128 : number(-128, 127); }
    std::optional<Encoding> bytes() { return grid(DType::i8, zero_point(), scale()); }

    // Rows along `axis`, one scale or one each.
    ValueId weights(const Dims& dims, int axis, bool one_scale = false) {
        const bool each = !one_scale && chance(50);
        const Dims count = each ? Dims{dims[static_cast<size_t>(axis)]} : Dims{};
        std::vector<float> scales(static_cast<size_t>(count_of(count)));
        for (float& item : scales) item = scale();
        const Tensor data = codes(DType::i8, dims);
        return constant(data, make_encoding(DType::i8, Tensor::make<float>(count, scales), {}, each ? axis : -1));
    }

    ValueId bias(const Dims& dims) {
        if (is_real_) return constant(numbers(dims), {});
        std::vector<int64_t> items(static_cast<size_t>(count_of(dims)));
        for (int64_t& item : items) item = number(-20000, 20000) << number(0, 12);
        return constant(from_ints(DType::i32, dims, items), make_encoding(DType::i32, Tensor::scalar(0.01f), {}));
    }

    void svdf() {
        const int64_t batch = number(1, 8), width = number(1, 70), rank = number(1, 3), units = number(1, 30), memory = number(1, 20);
        const int64_t filters = rank * units;
        Attrs attrs{{"rank", rank}};
        std::vector<ValueId> in{input({batch, width}, bytes()), weights({filters, width}, 0, !is_real_)};
        in.push_back(is_real_ ? constant(numbers({filters, memory}), {})
                              : constant(codes(DType::i16, {filters, memory}), grid(DType::i16, 0, scale())));
        in.push_back(input({batch, filters * memory}, grid(DType::i16, 0, scale())));
        if (chance(50)) in.push_back(bias({units}));
        if (is_real_ && chance(50)) attrs[asymmetric_key] = int64_t{1};
        graph_.add_node(need_op(ops::own::SVDF), "layer", in, results(2, bytes()), attrs);
    }

    void recurrent(bool lstm) {
        const int64_t steps = number(1, 6), batch = number(1, 8), width = number(1, 70), hidden = number(1, 40), gates = lstm ? 4 : 1;
        const bool first = chance(50);
        Attrs attrs{{"hidden_size", hidden}, {"layout", int64_t{first}}};
        const Dims state = first ? Dims{batch, 1, hidden} : Dims{1, batch, hidden};
        std::vector<ValueId> in{input(first ? Dims{batch, steps, width} : Dims{steps, batch, width}, bytes()),
                                weights({1, gates * hidden, width}, 1), weights({1, gates * hidden, hidden}, 1)};
        in.push_back(chance(70) ? bias({1, 2 * gates * hidden}) : ValueId::none);
        in.push_back(ValueId::none);
        in.push_back(input(state, bytes()));
        if (lstm) in.push_back(input(state, grid(DType::i16, 0, std::ldexp(1.0f, static_cast<int>(number(-15, -9))))));
        if (lstm && chance(30)) attrs["cell_clip"] = static_cast<float>(number(1, 100)) * 0.05f;
        if (is_real_) {
            if (lstm && chance(30)) in.push_back(constant(numbers({1, 3 * hidden}), {}));
            if (chance(30)) attrs["direction"] = std::string("reverse");
            if (chance(50)) attrs[asymmetric_key] = int64_t{1};
        }
        const auto made = bytes();
        graph_.add_node(need_op(lstm ? ops::LSTM : ops::RNN), "layer", in, results(lstm ? 3 : 2, made), attrs);
        if (!is_real_ && chance(50)) graph_.node(graph_.order()[0]).internal["hidden"] = *bytes();
    }

    Graph graph_;
    bool is_real_;
    int names_ = 0;
};

struct Counts {
    size_t by_kernels = 0, refused = 0, wrong = 0;
};

std::vector<Stored> run(const Graph& graph, bool reference, const std::vector<Stored>& inputs, int threads, Counts* counts) {
    ThreadPool pool(threads);
    const auto program = Program::compile(graph, {.mode = Mode::integer, .reference = reference});
    if (counts) counts->by_kernels += program->choices()[0].kernel.starts_with("codes");
    Session session(program, pool);
    session.run_stored(inputs);
    return session.run_stored(inputs);  // in the planned memory
}

bool alike(const Stored& a, const Stored& b) {
    return a.tensor.dtype == b.tensor.dtype && (a.tensor.dtype == DType::f32 ? same(a.tensor, b.tensor) : identical(a.tensor, b.tensor));
}

void check(uint64_t seed, Counts& counts) {
    Layer layer(seed);
    try {
        const auto inputs = layer.inputs();
        const std::vector<Stored> wanted = run(layer.graph(), true, inputs, 1, nullptr);
        for (const int threads : {1, 3}) {
            const std::vector<Stored> got = run(layer.graph(), false, inputs, threads, threads == 1 ? &counts : nullptr);
            for (size_t i = 0; i < got.size(); ++i) {
                if (alike(got[i], wanted[i])) continue;
                fmt::print("seed {}, {} threads: result {} differs\n{}\n", seed, threads, i, print_text(layer.graph()));
                ++counts.wrong;
                return;
            }
        }
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) fmt::print("seed {}: {}\n", seed, error.what()), ++counts.wrong;
        ++counts.refused;  // a state that became infinite, say
    }
}

}  // namespace

size_t check_recurrent(uint64_t seed, uint64_t count) {
    Counts counts;
    for (uint64_t i = 0; i < count; ++i) check(seed + i, counts);
    fmt::print("{} recurrent layers, {} refused; {} by kernels on codes\n", count, counts.refused, counts.by_kernels);
    const bool too_few = counts.by_kernels + counts.refused < count || counts.refused * 5 > count;
    if (too_few) fmt::print("too few of them\n");
    return counts.wrong + (too_few ? 1 : 0);
}

}  // namespace code_tests
