// Matrix products: MatMul and Gemm with constant weights packed once, and products of two activations, batched ones, too; bias, residual
// Add and activations are done in the same pass.
#include <array>
#include <cstring>

#include "libcore/kernels/onednn/post_ops.h"
#include "libcore/kernels/onednn/prepared.h"
#include "libcore/kernels/onednn/rows.h"
#include "libcore/kernels/onednn/weights.h"

namespace quern::onednn {
namespace {

using Desc = dnnl::memory::desc;
constexpr auto f32 = dnnl::memory::data_type::f32;

// Add of a constant vector along the last axis.
bool is_bias_add(const Site& site, const Node& next) {
    if (next.op->name != "Add" || !next.op->domain.empty() || site.nodes.size() != 1) return false;
    const auto others = site.operands(next);
    if (others.size() != 1 || others[0] == ValueId::none || !site.value(others[0]).constant() || !is_f32(site, others[0])) return false;
    const Shape &bias = site.value(others[0]).type.shape, &out = site.value(site.out()).type.shape;
    return bias.rank() == 1 && out.ranked && out.rank() >= 2 && out.dims.back().known() && bias.dims[0].value == out.dims.back().value;
}

bool absorbs(const Site& site, const Node& next) {
    return is_bias_add(site, next) || is_residual_add(site, next) || is_chained_eltwise(site, next);
}

struct Product {
    dnnl::matmul primitive;
    Desc src, weights, dst, scratchpad;
    Laid packed;  // constant weights as the primitive wants them
    Dims out;
};

Dims with_leading_ones(const Dims& dims, size_t rank) {
    Dims out(rank - dims.size(), 1);
    out.insert(out.end(), dims.begin(), dims.end());
    return out;
}

class MatMulKernel : public Kernel {
   public:
    explicit MatMulKernel(const Site& site) {
        const Node& node = site.first();
        name_ = "onednn matmul";
        gemm_ = node.op->name == "Gemm";
        size_t tail = 1;
        if (site.value(node.in[1]).constant()) {
            dims_ = *site.value(node.in[1]).type.shape.concrete();
            if (gemm_ && NodeView(node).integer("transB") != 0) {
                std::swap(dims_[0], dims_[1]);
                transposed_ = true;
            }
            if (dims_.size() > 2) dims_ = with_leading_ones(dims_, std::max(dims_.size(), site.value(node.in[0]).type.shape.rank()));
            held_.push_back(node.in[1]);
        } else {
            turned_ = gemm_ && NodeView(node).integer("transB") != 0;
        }
        ValueId bias = gemm_ && node.in.size() > 2 ? node.in[2] : ValueId::none;
        if (!gemm_ && site.nodes.size() > 1) {
            const Site alone{site.graph, {&node}, {}};
            if (is_bias_add(alone, *site.nodes[1])) {
                bias = alone.operands(*site.nodes[1])[0];
                name_ += "+bias";
                tail = 2;
            }
        }
        if (bias != ValueId::none) held_.push_back(bias);
        take_constants(site, bias);
        attr_ = user_scratchpad();
        attr_.set_post_ops(post_ops_of(site, tail, residual_, name_));
    }

    std::string name() const override { return name_; }

    void run(KernelCtx& ctx) override {
        use_threads(ctx.pool());
        const Tensor a = *ctx.in(0);
        const Tensor b = weights_.defined() ? Tensor{DType::f32, dims_, {}} : *ctx.in(1);
        const auto product = prepared(a.dims, as_multiplied(b.dims));
        Buffer out = take(ctx, product->dst);
        if (residual_) {
            const Tensor other = *ctx.in(*residual_);
            std::memcpy(out.data.get(), other.data.data(), other.data.size());
        }
        const auto memory = [&](const Desc& desc, const std::byte* data) {
            return dnnl::memory(desc, engine(), const_cast<std::byte*>(data));
        };
        Args args{{DNNL_ARG_SRC, memory(product->src, a.data.data())},
                  {DNNL_ARG_WEIGHTS, weights_.defined() ? product->packed.memory : memory(product->weights, b.data.data())},
                  {DNNL_ARG_DST, memory(product->dst, out.data.get())}};
        if (!bias_.empty()) {
            const Desc desc = bias_desc(product->dst.dims().size());
            args.emplace(DNNL_ARG_BIAS, memory(desc, bias_.data()));
        }
        execute(ctx, product->primitive, product->scratchpad, std::move(args));
        ctx.give(Tensor{DType::f32, product->out, out.freeze()});
    }

    void warm(std::span<const Dims> inputs, const ThreadPool& pool) override {
        use_threads(pool);
        prepared(inputs[0], weights_.defined() ? dims_ : as_multiplied(inputs[1]));
    }

    std::vector<Bytes> state() const override {
        const auto last = prepared_.last();
        std::vector<Bytes> state;
        if (weights_.defined()) state = weights_.state(last ? &last->packed : nullptr);
        if (!bias_.empty()) state.push_back(bias_);
        return state;
    }
    std::vector<ValueId> held() const override { return held_; }

   private:
    void take_constants(const Site& site, ValueId bias) {
        const Node& node = site.first();
        const size_t arrays = (dims_.empty() ? 0 : 2) + (bias == ValueId::none ? 0 : 1);
        if (!site.state.empty() && site.state.size() != arrays) throw bad_input("its state does not fit");
        if (!dims_.empty() && !site.state.empty())
            weights_ = Weights(dims_, site.state);
        else if (!dims_.empty())
            weights_ = Weights(dims_, site.graph.constant(node.in[1])->data, transposed_);
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

    // A matrix that is stored [N, K] is read where it lies, by its strides.
    Dims as_multiplied(const Dims& b) const { return turned_ ? Dims{b.at(1), b.at(0)} : b; }
    Desc weights_desc(const Dims& b) const { return turned_ ? Desc(b, f32, Dims{1, b[0]}) : plain_desc(b); }

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

    Product prepare(const Dims& a, const Dims& b) const {
        const Problem p = problem(a, b);
        const Desc src = plain_desc(p.a), dst = plain_desc(p.out);
        const auto primitive = [&](const Desc& weights) {
            const dnnl::matmul::desc desc =
                bias_.empty() ? dnnl::matmul::desc(src, weights, dst) : dnnl::matmul::desc(src, weights, bias_desc(p.out.size()), dst);
            return dnnl::matmul::primitive_desc(desc, attr_, engine());
        };
        const auto prim = weights_.defined() ? weights_.primitive(primitive) : primitive(weights_desc(p.b));
        Product product{dnnl::matmul(prim), src, prim.weights_desc(), dst, prim.scratchpad_desc(), {}, p.result};
        if (weights_.defined()) product.packed = weights_.laid(product.weights);
        return product;
    }

    std::string name_;
    bool gemm_ = false, transposed_ = false;  // transposed: constant weights, when they were packed
    bool turned_ = false;                     // the second matrix is computed, as [N, K]
    Dims dims_;                               // of constant weights, behind the transposition; empty: they are an input
    Weights weights_;
    Bytes bias_;
    std::vector<ValueId> held_;
    dnnl::primitive_attr attr_;
    std::optional<size_t> residual_;
    Prepared<Product> prepared_;
};

std::unique_ptr<Kernel> make_matmul(const Site& site, std::string& refusal) {
    const Node& node = site.first();
    const auto refuse = [&](const char* why) {
        refusal = why;
        return nullptr;
    };
    if (!is_f32(site, node.in[0]) || !is_f32(site, node.in[1])) return refuse("is not float32");
    const Shape &a = site.value(node.in[0]).type.shape, &b = site.value(node.in[1]).type.shape;
    if (!a.ranked || !b.ranked || a.rank() < 2 || b.rank() < 2) return refuse("has a vector, or operands of unknown rank");
    if (a.rank() > 6 || b.rank() > 6) return refuse("has more than 6 dimensions");
    return std::make_unique<MatMulKernel>(site);
}

std::unique_ptr<Kernel> make_gemm(const Site& site, std::string& refusal) {
    const Node& node = site.first();
    const NodeView view(node);
    const auto refuse = [&](const char* why) {
        refusal = why;
        return nullptr;
    };
    if (!is_f32(site, node.in[0]) || !is_f32(site, node.in[1])) return refuse("is not float32");
    const Shape& b = site.value(node.in[1]).type.shape;
    if (!b.ranked || b.rank() != 2) return refuse("the second matrix is of unknown rank");
    if (view.integer("transA") != 0) return refuse("the first matrix is transposed");
    if (view.real("alpha") != 1 || view.real("beta") != 1) return refuse("alpha or beta is not 1");
    if (node.in.size() < 3 || node.in[2] == ValueId::none) return std::make_unique<MatMulKernel>(site);
    const Shape& bias = site.value(node.in[2]).type.shape;
    const int64_t columns = b.dims[view.integer("transB") != 0 ? 0 : 1].value;
    const bool vector = site.value(node.in[2]).constant() && bias.rank() >= 1 && bias.dims.back().value == columns &&
                        (bias.rank() == 1 || bias.dims[0].value == 1);
    if (!vector) return refuse("C is no constant vector");
    return std::make_unique<MatMulKernel>(site);
}

constexpr std::array rows{
    KernelRow{.name = "onednn", .op = "MatMul", .absorbs = absorbs, .make = make_matmul},
    KernelRow{.name = "onednn", .op = "Gemm", .absorbs = absorbs, .make = make_gemm},
};

}  // namespace

std::span<const KernelRow> matmul_rows() { return rows; }

}  // namespace quern::onednn
