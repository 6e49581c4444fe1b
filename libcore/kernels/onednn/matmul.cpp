// Matrix products: MatMul and Gemm with constant weights packed once, and products of two activations, batched ones, too; bias, residual
// Add and activations are done in the same pass.
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/onednn/post_ops.h"
#include "libcore/kernels/onednn/prepared.h"
#include "libcore/kernels/onednn/regions.h"
#include "libcore/kernels/onednn/rows.h"
#include "libcore/kernels/onednn/weights.h"
#include "libcore/kernels/product_site.h"

namespace quern::onednn {
namespace {

using Desc = dnnl::memory::desc;
constexpr auto f32 = dnnl::memory::data_type::f32;

// Rows of the product that one thread computes.
struct Slab {
    dnnl::matmul primitive;
    Desc src, dst, scratchpad;
};

// Where oneDNN multiplies by its general routine (before AVX-512), the order of its sums depends on how many threads share them: slabs of
// rows, which are the same on any number of threads, then go to the pool. Batched products are left to one thread there.
constexpr int64_t slab_rows = 32;

struct Product {
    dnnl::matmul primitive;
    Desc src, weights, dst, scratchpad;
    Laid packed;  // constant weights as the primitive wants them
    Dims out;
    bool alone = false;                // one thread computes it
    std::optional<Slab> slab, rest{};  // of slab_rows each, and what is left
};

Dims with_leading_ones(const Dims& dims, size_t rank) {
    Dims out(rank - dims.size(), 1);
    out.insert(out.end(), dims.begin(), dims.end());
    return out;
}

class MatMulKernel : public Kernel {
   public:
    explicit MatMulKernel(const Site& site) : product_(site), dims_(product_.weights), attr_(user_scratchpad()) {
        if (dims_.size() > 2) dims_ = with_leading_ones(dims_, std::max(dims_.size(), site.value(site.in[0]).type.shape.rank()));
        take_constants(site);
        attr_.set_post_ops(post_ops_of(product_.tail));
    }

    std::string name() const override { return "onednn " + product_.name; }

    void run(KernelCtx& ctx) override {
        const Threads threads(ctx.pool());
        const Tensor a = *ctx.in(0);
        const Tensor b = weights_.defined() ? Tensor{DType::f32, dims_, {}} : *ctx.in(1);
        const auto product = prepared(a.dims, as_multiplied(b.dims));
        Buffer out = take(ctx, product->dst);
        if (product_.tail.residual) {
            const Tensor& other = *ctx.in(*product_.tail.residual);
            if (other.dims != product->out) throw bad_input("cannot add {} and {}", to_string(product->out), to_string(other.dims));
            std::memcpy(out.data.get(), other.data.data(), other.data.size());
        }
        Args args{{DNNL_ARG_WEIGHTS, weights_.defined() ? product->packed.memory : memory(product->weights, b.data.data())}};
        if (!bias_.empty()) {
            const Desc desc = bias_desc(dims_of(product->dst).size());
            args.emplace(DNNL_ARG_BIAS, memory(desc, bias_.data()));
        }
        if (product->slab)
            multiply_slabs(ctx, *product, args, a.data.data(), out.data.get());
        else
            multiply(ctx, *product, std::move(args), a.data.data(), out.data.get());
        ctx.give(Tensor{DType::f32, product->out, out.freeze()});
    }

    bool needs_warming() const override { return true; }
    void warm(std::span<const Dims> inputs, ThreadPool& pool) override {
        const Threads threads(pool);
        prepared(inputs[0], weights_.defined() ? dims_ : as_multiplied(inputs[1]));
    }

    std::vector<Bytes> state() const override {
        std::vector<Bytes> state;
        if (weights_.defined()) state = weights_.state();
        if (!bias_.empty()) state.push_back(bias_);
        return state;
    }
    std::vector<ValueId> held() const override { return product_.held; }

   private:
    static dnnl::memory memory(const Desc& desc, const std::byte* data) {
        return dnnl::memory(desc, engine(), const_cast<std::byte*>(data));
    }

    static void multiply(KernelCtx& ctx, const Product& product, Args args, const std::byte* from, std::byte* to) {
        args.emplace(DNNL_ARG_SRC, memory(product.src, from));
        args.emplace(DNNL_ARG_DST, memory(product.dst, to));
        execute(ctx, product.primitive, product.scratchpad, std::move(args), product.alone);
    }

    static void multiply_slabs(KernelCtx& ctx, const Product& product, const Args& shared, const std::byte* from, std::byte* to) {
        const auto row = [](const Desc& desc) { return static_cast<size_t>(dims_of(desc)[1] * slab_rows) * sizeof(float); };
        const size_t whole = static_cast<size_t>(dims_of(product.src)[0] / slab_rows), count = whole + (product.rest ? 1 : 0);
        const size_t room = std::max(product.slab->scratchpad.get_size(), product.rest ? product.rest->scratchpad.get_size() : 0);
        Buffer scratch;
        if (room > 0) scratch = ctx.memory().take(room * count);
        ctx.pool().run(count, [&](size_t i) {
            const Threads one;
            const Slab& slab = i < whole ? *product.slab : *product.rest;
            Args args = shared;
            args.emplace(DNNL_ARG_SRC, memory(slab.src, from + i * row(product.src)));
            args.emplace(DNNL_ARG_DST, memory(slab.dst, to + i * row(product.dst)));
            if (room > 0) args.emplace(DNNL_ARG_SCRATCHPAD, memory(slab.scratchpad, scratch.data.get() + i * room));
            execute(slab.primitive, args);
        });
    }

    void take_constants(const Site& site) {
        const ValueId bias = product_.bias;
        const size_t arrays = (dims_.empty() ? 0 : 2) + (bias == ValueId::none ? 0 : 1);
        if (!site.state.empty() && site.state.size() != arrays) throw bad_input("its state does not fit");
        if (!dims_.empty() && !site.state.empty())
            weights_ = Weights(dims_, site.state);
        else if (!dims_.empty())
            weights_ = Weights(dims_, floats_of(site, site.in[1]), product_.stored_transposed);
        if (bias == ValueId::none) return;
        if (site.state.empty()) {
            const std::vector<float> items = to_floats(*site.graph.constant(bias));
            bias_ = Bytes::copy_of(std::span(items));
        } else {
            bias_ = site.state.back();
        }
        if (bias_.size() != static_cast<size_t>(count_of(*site.value(bias).type.shape.concrete())) * sizeof(float))
            throw bad_input("its state does not fit");
    }

    bool is_turned() const { return dims_.empty() && product_.stored_transposed; }
    // A matrix that is stored [N, K] is read where it lies, by its strides.
    Dims as_multiplied(const Dims& b) const { return is_turned() ? Dims{b.at(1), b.at(0)} : b; }
    Desc weights_desc(const Dims& b) const { return is_turned() ? Desc(b, f32, Dims{1, b[0]}) : plain_desc(b); }

    Desc bias_desc(size_t rank) const {
        Dims dims(rank, 1);
        dims.back() = static_cast<int64_t>(bias_.size() / sizeof(float));
        return plain_desc(dims);
    }

    // The problem in dims of equal rank; leading dims of A are one when B is a matrix.
    struct Problem {
        Dims a, b, out, result;
    };
    Problem problem(const Dims& a, const Dims& b) const {
        Problem p;
        const int64_t k = a.back(), inner = b[b.size() - 2];
        if (k != inner) throw bad_input("cannot multiply {} and {}", to_string(a), to_string(b));
        if (b.size() == 2) {
            const int64_t rows = count_of(std::span(a).first(a.size() - 1));
            p = {{rows, k}, b, {rows, b[1]}, a};
            p.result.back() = b[1];
            return p;
        }
        const size_t rank = std::max(a.size(), b.size());
        p.a = with_leading_ones(a, rank);
        p.b = with_leading_ones(b, rank);
        p.out = p.a;
        for (size_t i = 0; i + 2 < rank; ++i) {
            if (p.a[i] != p.b[i] && p.a[i] != 1 && p.b[i] != 1) throw bad_input("cannot multiply {} and {}", to_string(a), to_string(b));
            if (p.a[i] == 1) p.out[i] = p.b[i];
        }
        p.out.back() = p.b.back();
        p.result = p.out;
        return p;
    }

    std::shared_ptr<const Product> prepared(const Dims& a, const Dims& b) {
        Dims key = a;
        key.insert(key.end(), b.begin(), b.end());
        return prepared_.get(key, [&] { return prepare(a, b); });
    }

    dnnl::matmul::primitive_desc primitive_desc(const Desc& src, const Desc& weights, const Desc& dst) const {
        if (bias_.empty()) return matmul_desc(src, weights, nullptr, dst, attr_);
        const Desc bias = bias_desc(dims_of(dst).size());
        return matmul_desc(src, weights, &bias, dst, attr_);
    }

    Product prepare(const Dims& a, const Dims& b) {
        const Problem p = problem(a, b);
        const Desc src = plain_desc(p.a), dst = plain_desc(p.out);
        const auto primitive = [&](const Desc& weights) { return primitive_desc(src, weights, dst); };
        const auto make = [&] { return weights_.defined() ? weights_.primitive(primitive) : primitive(weights_desc(p.b)); };
        auto prim = make();
        const bool general = std::string_view(prim.impl_info_str()).starts_with("gemm");
        const bool alone = general && (p.out.size() != 2 || p.out[0] <= slab_rows);
        if (alone) {  // a primitive is made for a number of threads
            const Threads one;
            prim = make();
        }
        Product product{dnnl::matmul(prim), src, prim.weights_desc(), dst, prim.scratchpad_desc(), {}, p.result, alone};
        if (weights_.defined()) product.packed = weights_.laid(product.weights);
        if (!general || alone) return product;
        const auto slab = [&](int64_t rows) {
            const Desc from = plain_desc(Dims{rows, p.a[1]}), to = plain_desc(Dims{rows, p.out[1]});
            const auto part = primitive_desc(from, product.weights, to);
            return Slab{dnnl::matmul(part), from, to, part.scratchpad_desc()};
        };
        product.slab = slab(slab_rows);
        if (p.out[0] % slab_rows != 0) product.rest = slab(p.out[0] % slab_rows);
        return product;
    }

    ProductSite product_;
    Dims dims_;  // of constant weights as they are multiplied; empty: they are an input
    Weights weights_;
    Bytes bias_;
    dnnl::primitive_attr attr_;
    Prepared<Product> prepared_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    if ((refusal = product_obstacle(site)); !refusal.empty()) return nullptr;
    return std::make_unique<MatMulKernel>(site);
}

constexpr std::array rows{
    KernelRow{.name = "onednn", .op = ops::MatMul, .absorbs = absorbs_into_product, .make = make},
    KernelRow{.name = "onednn", .op = ops::Gemm, .absorbs = absorbs_into_product, .make = make},
};

}  // namespace

std::span<const KernelRow> matmul_rows() { return rows; }

}  // namespace quern::onednn
