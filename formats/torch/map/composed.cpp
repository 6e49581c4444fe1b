// Operators that are several of ours.
#include <algorithm>
#include <array>
#include <cmath>

#include "formats/torch/map/map.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/movement.h"

namespace quern::torch_format {
namespace {

constexpr int64_t place_limit = 1 << 22;  // of elements that a table of places names

ValueId slice(Site& site, ValueId x, int64_t axis, int64_t from, int64_t to) {
    return site.add(ops::Slice, {x, site.integers({from}, "from"), site.integers({to}, "to"), site.integers({axis}, "axis")});
}

// Differences of neighbours, `n` times.
bool diff(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const int64_t axis = site.axis("dim", site.rank("self"), -1), times = site.integer("n", 1);
    if (times < 0 || times > 64 || dtype == DType::boolean) return false;
    Values parts;
    for (const std::string_view name : {"prepend", "self", "append"})
        if (site.has(name)) parts.push_back(site.in_as(name, dtype));
    ValueId x = parts.size() == 1 ? parts[0] : site.add(ops::Concat, parts, {{"axis", axis}});
    for (int64_t i = 0; i < times; ++i) x = site.add(ops::Sub, {slice(site, x, axis, 1, INT64_MAX), slice(site, x, axis, 0, -1)});
    site.bind(x);
    return true;
}

// ---- places in the flat tensor ----

std::optional<Ints> fixed_dims(const Shape& shape) {
    const auto dims = shape.concrete();
    if (dims) count_of(*dims);  // which may be beyond any number
    return dims ? std::optional<Ints>(*dims) : std::nullopt;
}

Ints strides_of(const Ints& dims) {
    Ints strides(dims.size(), 1);
    for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
    return strides;
}

// The elements at `offset` + index * strides of the flat operand.
bool windowed(Site& site, const Ints& sizes, const Ints& strides, int64_t offset) {
    const int64_t count = count_of(sizes);
    if (count > place_limit) return false;
    std::vector<int64_t> places{offset};
    for (size_t d = 0; d < sizes.size(); ++d) {
        std::vector<int64_t> more;
        for (const int64_t place : places)
            for (int64_t i = 0; i < sizes[d]; ++i) more.push_back(place + i * strides[d]);
        places = std::move(more);
    }
    site.result(ops::Gather, {site.reshape(site.in("self"), {-1}), site.constant(from_ints(DType::i64, sizes, places), "places")},
                {{"axis", int64_t{0}}});
    return true;
}

// Windows onto the storage: of an operand that lies there as it is, which a view of another does not.
bool as_strided(Site& site) {
    const auto dims = fixed_dims(site.shape("self"));
    const auto sizes = site.ints("size"), strides = site.ints("stride");
    const int64_t offset = site.integer("storage_offset", 0);
    const Argument& self = site.need("self");
    if (!dims || !sizes || !strides || sizes->size() != strides->size() || site.scope().views.contains(site.scope().root(self.text)))
        return false;
    int64_t last = offset;
    if (offset < 0 || offset > place_limit) return false;
    for (size_t i = 0; i < sizes->size(); ++i) {
        if ((*sizes)[i] < 1 || (*strides)[i] < 0 || (*strides)[i] > place_limit || (*sizes)[i] > place_limit) return false;
        last += ((*sizes)[i] - 1) * (*strides)[i];
    }
    if (offset < 0 || last >= count_of(*dims)) throw bad_input("a window reaches element {} of {}", last, count_of(*dims));
    return windowed(site, *sizes, *strides, offset);
}

// The dims behind the others, of what both have in common. `plain`: the first two, of which the operator says nothing.
template <bool plain>
bool diagonal(Site& site) {
    const auto dims = fixed_dims(site.shape("self"));
    if (!dims || dims->size() < 2) return false;
    const auto first = static_cast<size_t>(plain ? 0 : site.axis("dim1", dims->size(), 0)),
               second = static_cast<size_t>(plain ? 1 : site.axis("dim2", dims->size(), 1));
    const int64_t shift = site.integer(plain ? "diagonal" : "offset", 0);
    const Ints strides = strides_of(*dims);
    Ints sizes, steps;
    for (size_t i = 0; i < dims->size(); ++i)
        if (i != first && i != second) {
            sizes.push_back((*dims)[i]);
            steps.push_back(strides[i]);
        }
    const int64_t length =
        shift >= 0 ? std::min((*dims)[first], (*dims)[second] - shift) : std::min((*dims)[first] + shift, (*dims)[second]);
    sizes.push_back(std::max<int64_t>(length, 0));
    steps.push_back(strides[first] + strides[second]);
    return windowed(site, sizes, steps, shift >= 0 ? shift * strides[second] : -shift * strides[first]);
}

// The last dim along the diagonal of two.
template <bool plain>
bool diag_embed(Site& site) {
    const auto dims = fixed_dims(site.shape("self"));
    if (!dims || dims->empty()) return false;
    if (plain && dims->size() == 2) return diagonal<true>(site);
    if (site.integer(plain ? "diagonal" : "offset", 0) != 0) return false;
    const auto rank = static_cast<int64_t>(dims->size());
    if (!plain && (site.axis("dim1", dims->size() + 1, -2) != rank - 1 || site.axis("dim2", dims->size() + 1, -1) != rank)) return false;
    const int64_t length = dims->back();
    if (length > 2048) return false;
    const DType dtype = site.dtype("self");
    const ValueId mask = decompose::diagonal(site, length, length);
    site.result(ops::Where,
                {mask, site.add(ops::Unsqueeze, {site.in("self"), site.integers({-1}, "axis")}), site.scalar(int64_t{0}, dtype, "zero")});
    return true;
}

bool unfold(Site& site) {
    const auto dims = fixed_dims(site.shape("self"));
    if (!dims || dims->empty()) return false;
    const auto axis = static_cast<size_t>(site.axis("dimension", dims->size(), 0));
    const int64_t size = site.integer("size"), step = site.integer("step");
    if (size < 1 || step < 1 || size > (*dims)[axis]) return false;
    Ints sizes = *dims, strides = strides_of(*dims);
    sizes[axis] = ((*dims)[axis] - size) / step + 1;
    sizes.push_back(size);
    strides.push_back(strides[axis]);
    strides[axis] *= step;
    return windowed(site, sizes, strides, 0);
}

bool rot90(Site& site) {
    const Ints axes = site.axes("dims", site.rank("self"), false);
    if (axes.size() != 2) return false;
    const int64_t turns = ((site.integer("k", 1) % 4) + 4) % 4;
    Ints order;
    for (size_t i = 0; i < site.rank("self"); ++i) order.push_back(static_cast<int64_t>(i));
    std::swap(order[static_cast<size_t>(axes[0])], order[static_cast<size_t>(axes[1])]);
    const auto flipped = [&](ValueId x, const Ints& along) { return decompose::reversed({&site, x}, along).id; };
    ValueId x = site.in("self");
    if (turns == 2) x = flipped(x, axes);
    if (turns == 1) x = site.add(ops::Transpose, {flipped(x, {axes[1]})}, {{"perm", order}});
    if (turns == 3) x = flipped(site.add(ops::Transpose, {x}, {{"perm", order}}), {axes[1]});
    site.bind(x);
    return true;
}

template <size_t want>
bool at_least(Site& site) {
    const size_t rank = site.rank("self");
    Ints axes;
    if (rank == 0)
        for (size_t i = 0; i < want; ++i) axes.push_back(static_cast<int64_t>(i));
    if (rank == 1 && want > 1) axes = want == 3 ? Ints{0, 2} : Ints{0};
    if (rank == 2 && want > 2) axes = {2};
    if (axes.empty())
        site.bind(site.in("self"));
    else
        site.result(ops::Unsqueeze, {site.in("self"), site.integers(axes, "axes")});
    return true;
}

// Each operand along a dim of its own.
Values spread(Site& site, const Values& parts, const Ints& axes) {
    ValueId shape = ValueId::none;
    Values apart;
    for (size_t i = 0; i < parts.size(); ++i) {
        Ints dims(parts.size(), 1);
        dims[static_cast<size_t>(axes[i])] = -1;
        apart.push_back(site.reshape(parts[i], dims));
    }
    Values lengths(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) lengths[static_cast<size_t>(axes[i])] = site.reshape(site.add(ops::Size, {parts[i]}), {1});
    shape = lengths.size() == 1 ? lengths[0] : site.add(ops::Concat, lengths, {{"axis", int64_t{0}}});
    Values wide;
    for (const ValueId part : apart) wide.push_back(site.add(ops::Expand, {part, shape}));
    return wide;
}

Ints in_order(size_t count) {
    Ints order;
    for (size_t i = 0; i < count; ++i) order.push_back(static_cast<int64_t>(i));
    return order;
}

bool meshgrid(Site& site) {
    const Values parts = site.list("tensors");
    Ints axes = in_order(parts.size());
    if (site.word("indexing", "ij") == "xy" && axes.size() > 1) std::swap(axes[0], axes[1]);
    const Values wide = spread(site, parts, axes);
    for (size_t i = 0; i < wide.size(); ++i) site.bind(wide[i], i);
    return true;
}
bool cartesian_prod(Site& site) {
    const Values parts = site.list("tensors");
    if (parts.size() < 2) return false;
    Values columns;
    for (const ValueId part : spread(site, parts, in_order(parts.size()))) columns.push_back(site.reshape(part, {-1, 1}));
    site.result(ops::Concat, columns, {{"axis", int64_t{1}}});
    return true;
}

// ---- products ----

// Dims of both that are summed over, side by side.
bool tensordot(Site& site) {
    const size_t left = site.rank("self"), right = site.rank("other");
    const Ints from = site.axes("dims_self", left, false), to = site.axes("dims_other", right, false);
    if (from.size() != to.size() || left + right > 26) return false;
    std::string a, b, free;
    for (size_t i = 0; i < left; ++i) a += static_cast<char>('a' + i);
    for (size_t i = 0; i < right; ++i) b += static_cast<char>('A' + i);
    for (size_t i = 0; i < from.size(); ++i) b[static_cast<size_t>(to[i])] = a[static_cast<size_t>(from[i])];
    for (const char c : a + b)
        if (a.find(c) == std::string::npos || b.find(c) == std::string::npos) free += c;
    site.result(ops::Einsum, {site.in("self"), site.in("other")}, {{"equation", a + "," + b + "->" + free}});
    return true;
}
bool chain_matmul(Site& site) {
    const Values parts = site.list(site.has("matrices") ? "matrices" : "tensors");
    if (parts.empty()) throw bad_input("has no matrices");
    ValueId x = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) x = site.add(ops::MatMul, {x, parts[i]});
    site.bind(x);
    return true;
}
bool bilinear(Site& site) {
    if (site.rank("input1") != 2) return false;
    const ValueId made =
        site.add(ops::Einsum, {site.in("input1"), site.in("weight"), site.in("input2")}, {{"equation", std::string("bi,oij,bj->bo")}});
    if (site.has("bias"))
        site.result(ops::Add, {made, site.in("bias")});
    else
        site.bind(made);
    return true;
}
bool kron(Site& site) {
    const auto a = fixed_dims(site.shape("self")), b = fixed_dims(site.shape("other"));
    if (!a || !b || a->size() != b->size()) return false;
    Ints left, right, shape;
    for (size_t i = 0; i < a->size(); ++i) {
        left.insert(left.end(), {(*a)[i], 1});
        right.insert(right.end(), {1, (*b)[i]});
        shape.push_back((*a)[i] * (*b)[i]);
    }
    const DType dtype = site.out_meta().dtype;
    const ValueId product =
        site.add(ops::Mul, {site.reshape(site.in_as("self", dtype), left), site.reshape(site.in_as("other", dtype), right)});
    site.result(ops::Reshape, {product, site.integers(shape, "shape")});
    return true;
}

ValueId dot_along(Site& site, ValueId a, ValueId b, int64_t axis) {
    return site.add(ops::ReduceSum, {site.add(ops::Mul, {a, b}), site.integers({axis}, "axis")}, {{"keepdims", int64_t{0}}});
}
// Squares of lengths are at least eps squared.
bool cosine_similarity(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const int64_t axis = site.axis("dim", std::max(site.rank("x1"), site.rank("x2")), 1);
    const double eps = site.real("eps", 1e-8);
    const ValueId a = site.in_as("x1", dtype), b = site.in_as("x2", dtype), least = site.scalar(eps, dtype, "least");
    const auto length = [&](ValueId x) { return site.add(ops::Max, {site.add(ops::Sqrt, {dot_along(site, x, x, axis)}), least}); };
    site.result(ops::Div, {dot_along(site, a, b, axis), site.add(ops::Mul, {length(a), length(b)})});
    return true;
}
// Distances of all rows of one to all of the other.
bool cdist(Site& site) {
    if (site.real("p", 2) != 2) return false;
    const ValueId a = site.add(ops::Unsqueeze, {site.in("x1"), site.integers({-2}, "axis")}),
                  b = site.add(ops::Unsqueeze, {site.in("x2"), site.integers({-3}, "axis")});
    site.result(ops::ReduceL2, {site.add(ops::Sub, {a, b}), site.integers({-1}, "axis")}, {{"keepdims", int64_t{0}}});
    return true;
}

// ---- order ----

bool aminmax(Site& site) {
    const Values in{site.in("self"), site.integers(site.axes("dim", site.rank("self")), "axes")};
    const Attrs attrs{{"keepdims", int64_t{site.flag("keepdim")}}};
    site.result(ops::ReduceMin, in, attrs);
    site.result(ops::ReduceMax, in, attrs, 1);
    return true;
}

// How many boundaries lie below a number, or are not above it.
bool bucketize(Site& site) {
    const std::string_view sorted = site.has("boundaries") ? "boundaries" : "sorted_sequence";
    if (site.rank(sorted) != 1) return false;
    const bool right = site.flag("right") || site.word("side", "left") == "right";
    const DType dtype = promoted(site.dtype(sorted), site.is_tensor("self") ? site.dtype("self") : DType::f32);
    const decompose::Term x{&site, site.in_as("self", dtype)}, bounds{&site, site.in_as(sorted, dtype)};
    site.result_as(decompose::bucket(x, bounds, right ? ops::GreaterOrEqual : ops::Greater, DType::i64), DType::i64);
    return true;
}

bool isin(Site& site) {
    if (!site.is_tensor("elements") || !site.is_tensor("test_elements")) return false;
    const DType dtype = promoted(site.dtype("elements"), site.dtype("test_elements"));
    const ValueId x = site.add(ops::Unsqueeze, {site.in_as("elements", dtype), site.integers({-1}, "axis")});
    const ValueId same = site.add(ops::Equal, {x, site.reshape(site.in_as("test_elements", dtype), {-1})});
    const ValueId any = site.cast(
        site.add(ops::ReduceMax, {site.cast(same, DType::i32), site.integers({-1}, "axis")}, {{"keepdims", int64_t{0}}}), DType::boolean);
    site.bind(site.flag("invert") ? site.add(ops::Not, {any}) : any);
    return true;
}

// Where the mask holds, the source's elements in order.
bool masked_scatter(Site& site) {
    const ValueId x = site.in("self"), shape = site.add(ops::Shape, {x});
    const ValueId mask = site.reshape(site.add(ops::Expand, {site.in("mask"), shape}), {-1});
    const ValueId rank = site.add(ops::CumSum, {site.cast(mask, DType::i64), site.scalar(int64_t{0}, DType::i64, "axis")});
    const ValueId place = site.add(
        ops::Max, {site.add(ops::Sub, {rank, site.scalar(int64_t{1}, DType::i64, "one")}), site.scalar(int64_t{0}, DType::i64, "zero")});
    const ValueId taken = site.add(ops::Gather, {site.reshape(site.in("source"), {-1}), place}, {{"axis", int64_t{0}}});
    site.result(ops::Reshape, {site.add(ops::Where, {mask, taken, site.reshape(x, {-1})}), shape});
    return true;
}

// A list of the places along each dim.
bool nonzero_rows(Site& site) {
    const ValueId found = site.add(ops::NonZero, {site.in(site.has("condition") ? "condition" : "self")});
    for (size_t i = 0; i < site.out_count(); ++i)
        site.result(ops::Gather, {found, site.scalar(static_cast<int64_t>(i), DType::i64, "row")}, {{"axis", int64_t{0}}}, i);
    return true;
}

// ---- blocks ----

// Columns of blocks: [N, C * kernel, blocks], by the places of each block's elements.
bool im2col(Site& site) {
    const auto dims = fixed_dims(site.shape("self"));
    const Ints kernel = site.each("kernel_size", 2, {1}, 1), dilation = site.each("dilation", 2, {1}, 1),
               padding = site.each("padding", 2, {0}, 0), stride = site.each("stride", 2, {1}, 1);
    if (!dims || dims->size() != 4) return false;
    const ValueId x = site.add(ops::Pad, {site.in("self"), site.integers({padding[0], padding[1], padding[0], padding[1]}, "pads"),
                                          site.scalar(int64_t{0}, site.dtype("self"), "zero"), site.integers({2, 3}, "axes")});
    const auto places = [&](size_t i) {
        const int64_t length = (*dims)[i + 2] + 2 * padding[i], count = (length - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
        if (length > place_limit || count < 1 || count * kernel[i] > place_limit) throw unsupported("blocks of a length of {}", length);
        std::vector<int64_t> items;
        for (int64_t k = 0; k < kernel[i]; ++k)
            for (int64_t b = 0; b < count; ++b) items.push_back(k * dilation[i] + b * stride[i]);
        return from_ints(DType::i64, {kernel[i], count}, items);
    };
    const Tensor rows = places(0), columns = places(1);
    const ValueId by_rows = site.add(ops::Gather, {x, site.constant(rows, "rows")}, {{"axis", int64_t{2}}});  // [N, C, kh, bh, W]
    const ValueId cells =
        site.add(ops::Gather, {by_rows, site.constant(columns, "columns")}, {{"axis", int64_t{4}}});  // [N, C, kh, bh, kw, bw]
    const ValueId moved = site.add(ops::Transpose, {cells}, {{"perm", Ints{0, 1, 2, 4, 3, 5}}});
    site.result(ops::Reshape,
                {moved, site.integers({-1, (*dims)[1] * rows.dims[0] * columns.dims[0], rows.dims[1] * columns.dims[1]}, "shape")});
    return true;
}
bool col2im(Site& site) {
    const Ints padding = site.each("padding", 2, {0}, 0);
    Ints pads = padding;
    pads.insert(pads.end(), padding.begin(), padding.end());
    site.result(ops::Col2Im, {site.in("self"), site.sizes(site.need("output_size")), site.sizes(site.need("kernel_size"))},
                {{"dilations", site.each("dilation", 2, {1}, 1)}, {"pads", pads}, {"strides", site.each("stride", 2, {1}, 1)}});
    return true;
}

bool round_decimals(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const double scale = portable::pow(10.0, static_cast<double>(site.integer("decimals", 0)));
    const ValueId factor = site.scalar(scale, dtype, "scale");
    site.result(ops::Div, {site.add(ops::Round, {site.add(ops::Mul, {site.in("self"), factor})}), factor});
    return true;
}

constexpr std::array composed_table{
    MapRow{.names = "aten.diff", .ops = "Slice Sub", .rewrite = diff, .limits = "truth values"},
    MapRow{.names = "aten.as_strided", .ops = "Gather", .rewrite = as_strided, .limits = "of a view, dims that are not fixed"},
    MapRow{.names = "aten.diagonal", .ops = "Gather", .rewrite = diagonal<false>, .limits = "dims that are not fixed"},
    MapRow{.names = "aten.diag",
           .ops = "Gather Where",
           .rewrite = diag_embed<true>,
           .limits = "dims that are not fixed, a diagonal of a vector other than the main one"},
    MapRow{.names = "aten.diag_embed",
           .ops = "Where",
           .rewrite = diag_embed<false>,
           .limits = "dims that are not fixed, an offset, other dims than the last two"},
    MapRow{.names = "aten.unfold", .ops = "Gather", .rewrite = unfold, .limits = "dims that are not fixed"},
    MapRow{"aten.rot90", "Transpose Slice", rot90},
    MapRow{"aten.atleast_1d", "Unsqueeze", at_least<1>},
    MapRow{"aten.atleast_2d", "Unsqueeze", at_least<2>},
    MapRow{"aten.atleast_3d", "Unsqueeze", at_least<3>},
    MapRow{"aten.meshgrid", "Reshape Expand", meshgrid},
    MapRow{.names = "aten.cartesian_prod", .ops = "Reshape Expand Concat", .rewrite = cartesian_prod, .limits = "of one tensor"},
    MapRow{"aten.tensordot", "Einsum", tensordot},
    MapRow{"aten.chain_matmul aten.linalg_multi_dot", "MatMul", chain_matmul},
    MapRow{.names = "aten.bilinear", .ops = "Einsum Add", .rewrite = bilinear, .limits = "ranks other than 2"},
    MapRow{.names = "aten.kron", .ops = "Reshape Mul", .rewrite = kron, .limits = "dims that are not fixed, operands of different ranks"},
    MapRow{"aten.cosine_similarity", "Mul ReduceSum Sqrt Max Div", cosine_similarity},
    MapRow{.names = "aten.cdist aten._cdist_forward", .ops = "Sub ReduceL2", .rewrite = cdist, .limits = "p other than 2"},
    MapRow{"aten.aminmax", "ReduceMin ReduceMax", aminmax},
    MapRow{.names = "aten.bucketize aten.searchsorted",
           .ops = "Greater GreaterOrEqual ReduceSum",
           .rewrite = bucketize,
           .limits = "boundaries of ranks other than 1"},
    MapRow{.names = "aten.isin", .ops = "Equal ReduceMax", .rewrite = isin, .limits = "numbers in place of tensors"},
    MapRow{"aten.masked_scatter", "CumSum Gather Where", masked_scatter},
    MapRow{"aten.nonzero_numpy aten.where.default", "NonZero Gather", nonzero_rows},
    MapRow{.names = "aten.im2col",
           .ops = "Pad Gather Transpose Reshape",
           .rewrite = im2col,
           .limits = "dims that are not fixed, data without a batch"},
    MapRow{"aten.col2im", "Col2Im", col2im},
    MapRow{"aten.round.decimals", "Mul Round Div", round_decimals},
};

}  // namespace

std::span<const MapRow> composed_rows() { return composed_table; }

}  // namespace quern::torch_format
