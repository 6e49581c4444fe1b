#include "tests/codes/stored.h"

#include <fmt/core.h>

#include "formats/text/text.h"
#include "libcore/exec/session.h"
#include "libcore/graph/op_ids.h"
#include "libcore/kernels/stored_weights.h"
#include "tests/codes/draw.h"
#include "tests/codes/same.h"

namespace code_tests {
namespace {

using namespace quern;

class StoredNet : private Draw {
   public:
    explicit StoredNet(uint64_t seed) : Draw(seed), depth_(number(1, 300)), columns_(number(1, 80)), kind_(number(0, 2)) {
        const bool nbits = chance(40), gemm = !nbits && chance(50), unknown = !nbits && kind_ == in_blocks && chance(50);
        dims_ = {chance(30) ? 1 : number(1, nbits || unknown ? 60 : max_stored_rows), depth_};
        if (!gemm && chance(30)) dims_.insert(dims_.begin(), 1);
        if (!gemm && chance(10)) dims_ = {depth_};
        x_ = graph_.add_value("x", Type::tensor(DType::f32, Shape::of(dims_)));
        if (unknown && dims_.size() > 1) graph_.value(x_).type.shape.dims[dims_.size() - 2] = Dim::named("rows");
        graph_.inputs = {x_};
        const ValueId out = graph_.add_value("y", Type::tensor(DType::f32, {}));
        nbits ? add_nbits(out) : add_product(gemm, out);
        graph_.outputs = {out};
        infer_types(graph_);
        verify(graph_);
    }

    const Graph& graph() const { return graph_; }

    Tensor input() {
        const float size = chance(10) ? 1e-38f : chance(10) ? 1e36f : 0.01f;
        const bool zeros = chance(10);
        std::vector<float> items(static_cast<size_t>(count_of(dims_)));
        for (float& item : items) item = zeros ? 0.0f : size * static_cast<float>(number(-1000, 1000));
        return Tensor::make<float>(dims_, items);
    }

   private:
    ValueId constant(const Tensor& tensor, DType dtype = DType::f32) {
        const ValueId id = graph_.add_value("c" + std::to_string(names_++), Type::tensor(dtype, Shape::of(tensor.dims)));
        graph_.value(id).data = tensor.data;
        return id;
    }

    Tensor scales(const Dims& dims) {
        std::vector<float> items(static_cast<size_t>(count_of(dims)));
        for (float& item : items) item = scale();
        return Tensor::make<float>(dims, items);
    }

    Tensor of_either_sign(const Tensor& tensor) {
        std::vector<float> items = to_floats(tensor);
        for (float& item : items)
            if (chance(20)) item = -item;
        return Tensor::make<float>(tensor.dims, items);
    }

    Tensor drawn(DType dtype, const Dims& dims) {
        const auto [least, most] = int_range(dtype);
        std::vector<int64_t> items(static_cast<size_t>(count_of(dims)));
        for (int64_t& item : items) item = number(least, most);
        return from_ints(dtype, dims, items);
    }

    ValueId weights(bool transposed) {
        constexpr DType storages[] = {DType::i8, DType::u8, DType::i4, DType::u4};
        const DType storage = storages[number(0, 3)];
        const Dims dims = transposed ? Dims{columns_, depth_} : Dims{depth_, columns_};
        const int depth_axis = transposed ? 1 : 0;
        const ValueId id = constant(drawn(storage, dims));
        const int64_t block = number(1, 70);
        Dims of = kind_ == of_all ? Dims{} : kind_ == of_columns ? Dims{columns_} : dims;
        if (kind_ == in_blocks) of[static_cast<size_t>(depth_axis)] = (depth_ + block - 1) / block;
        Encoding e =
            make_encoding(storage, kind_ == in_blocks ? of_either_sign(scales(of)) : scales(of), chance(50) ? drawn(storage, of) : Tensor(),
                          kind_ == of_all       ? -1
                          : kind_ == of_columns ? 1 - depth_axis
                                                : depth_axis);
        if (kind_ == in_blocks) e.block = block;
        graph_.value(id).enc = e;
        return id;
    }

    void add_product(bool gemm, ValueId out) {
        const bool transposed = gemm && chance(50);
        std::vector<ValueId> in{x_, weights(transposed)};
        if (gemm && chance(50)) in.push_back(constant(scales(chance(50) ? Dims{columns_} : Dims{1, columns_})));
        graph_.add_node(gemm ? need_op(ops::Gemm) : need_op(ops::MatMul), "n", in, {out},
                        gemm ? Attrs{{"transB", int64_t{transposed}}} : Attrs{});
    }

    void add_nbits(ValueId out) {
        const int64_t bits = int64_t{1} << number(1, 3), block = int64_t{16} << number(0, 3), blocks = (depth_ + block - 1) / block;
        const auto bytes = [&](const Dims& dims) { return constant(drawn(DType::u8, dims), DType::u8); };
        std::vector<ValueId> in{x_, bytes({columns_, blocks, block * bits / 8}), constant(scales({columns_, blocks}))};
        const int64_t zeros = number(0, bits == 8 ? 1 : 2);
        in.push_back(zeros == 0   ? ValueId::none
                     : zeros == 1 ? bytes({columns_, (blocks * bits + 7) / 8})
                                  : constant(scales({columns_, blocks})));
        if (chance(40)) in.insert(in.end(), {ValueId::none, constant(scales({columns_}))});
        const Attrs attrs{{"K", depth_}, {"N", columns_}, {"bits", bits}, {"block_size", block}};
        graph_.add_node(need_op(ops::microsoft::MatMulNBits), "n", in, {out}, attrs);
    }

    enum : int64_t { of_all, of_columns, in_blocks };
    int64_t depth_, columns_, kind_;  // which weights share a scale
    Dims dims_;                       // of x
    Graph graph_;
    ValueId x_;
    int names_ = 0;
};

// What differs; "" if nothing does.
std::string difference(const Graph& graph, const Tensor& input) {
    const auto run = [&](const CompileOptions& options, int threads, bool by_kernel) {
        ThreadPool pool(threads);
        const auto program = Program::compile(graph, options);
        if (by_kernel && !program->choices()[0].kernel.starts_with("codes")) throw bug("is computed by {}", program->choices()[0].kernel);
        return Session(program, pool).run(std::vector{input})[0];
    };
    const Tensor wanted = run({.reference = true}, 1, false);
    for (const Mode mode : {Mode::floating, Mode::integer})
        for (const int threads : {1, 3})
            if (!same(run({.mode = mode}, threads, true), wanted))
                return fmt::format("other numbers in {} runs, {} threads", mode == Mode::integer ? "integer" : "float", threads);
    return {};
}

}  // namespace

size_t check_stored(uint64_t seed, uint64_t count) {
    size_t wrong = 0;
    for (uint64_t i = 0; i < count; ++i) {
        std::string what;
        try {
            StoredNet net(seed + i);
            what = difference(net.graph(), net.input());
            if (!what.empty()) what += "\n" + print_text(net.graph());
        } catch (const Error& error) {
            what = error.what();
        }
        if (what.empty()) continue;
        fmt::print("seed {}: {}\n", seed + i, what);
        ++wrong;
    }
    fmt::print("{} products with stored weights\n", count);
    return wrong;
}

}  // namespace code_tests
