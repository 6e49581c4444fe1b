// Products of matrices.
#include <algorithm>
#include <array>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

// x W' + b, W' [out, in]: Gemm over rows, else MatMul.
bool linear(Site& site) {
    const ValueId x = site.in("input"), weight = site.in("weight");
    if (site.rank("input") == 2) {
        Values in{x, weight};
        if (site.has("bias")) in.push_back(site.in("bias"));
        site.result(ops::Gemm, in, {{"transB", int64_t{1}}});
        return true;
    }
    const ValueId turned = site.rank("weight") == 2 ? site.add(ops::Transpose, {weight}, {{"perm", Ints{1, 0}}}) : weight;
    if (!site.has("bias")) {
        site.result(ops::MatMul, {x, turned});
        return true;
    }
    site.result(ops::Add, {site.add(ops::MatMul, {x, turned}), site.in("bias")});
    return true;
}

bool matmul(Site& site) {
    for (const std::string_view name : {"other", "mat2", "vec", "tensor"})
        if (site.has(name)) {
            site.result(ops::MatMul, {site.in("self"), site.in(name)});
            return true;
        }
    return false;
}

// beta * self + alpha * (a b); with a beta of 0, nothing of self.
bool add_product(Site& site, std::string_view a, std::string_view b) {
    const double alpha = site.real("alpha", 1), beta = site.real("beta", 1);
    const DType dtype = site.out_meta().dtype;
    if (site.rank(a) == 2 && site.rank(b) == 2 && is_real(dtype)) {
        Values in{site.in(a), site.in(b)};
        if (beta != 0) in.push_back(site.in("self"));
        site.result(ops::Gemm, in, {{"alpha", static_cast<float>(alpha)}, {"beta", static_cast<float>(beta)}});
        return true;
    }
    ValueId product = site.add(ops::MatMul, {site.in(a), site.in(b)});
    if (alpha != 1) product = site.add(ops::Mul, {product, site.scalar(alpha, dtype, "alpha")});
    if (beta == 0) {
        site.bind(product);
        return true;
    }
    ValueId self = site.in("self");
    if (beta != 1) self = site.add(ops::Mul, {self, site.scalar(beta, dtype, "beta")});
    site.result(ops::Add, {self, product});
    return true;
}
bool addmm(Site& site) { return add_product(site, "mat1", "mat2"); }
bool addmv(Site& site) { return add_product(site, "mat", "vec"); }
bool baddbmm(Site& site) { return add_product(site, "batch1", "batch2"); }

bool einsum(Site& site) {
    std::string equation = site.word("equation", "");
    std::erase(equation, ' ');
    site.result(ops::Einsum, site.list("tensors"), {{"equation", equation}});
    return true;
}

bool outer(Site& site) {
    const std::string_view other = site.has("vec2") ? "vec2" : "other";
    const DType dtype = site.out_meta().dtype;
    site.result(ops::Mul, {site.add(ops::Unsqueeze, {site.in_as("self", dtype), site.integers({1}, "axis")}), site.in_as(other, dtype)});
    return true;
}

constexpr std::array product_table{
    MapRow{"aten.linear", "Gemm MatMul Add Transpose", linear},
    MapRow{"aten.matmul aten.mm aten.bmm aten.mv aten.dot aten.vdot", "MatMul", matmul},
    MapRow{"aten.addmm", "Gemm", addmm},
    MapRow{"aten.addmv", "MatMul Mul Add", addmv},
    MapRow{"aten.baddbmm", "MatMul Mul Add", baddbmm},
    MapRow{"aten.einsum", "Einsum", einsum},
    MapRow{"aten.outer aten.ger", "Unsqueeze Mul", outer},
};

}  // namespace

std::span<const MapRow> product_rows() { return product_table; }

}  // namespace quern::torch_format
