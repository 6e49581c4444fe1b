// Quantities of attributes and of operators of their own kind: reductions, permutations, slices, resizing.
#include <algorithm>
#include <array>

#include "libcore/base/text.h"
#include "libcore/ops/shared/reduction.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/support/observe.h"

namespace quern::support {
namespace {

using List = std::vector<Observed>;

Fact fact_of(const Attr& attr) {
    if (const auto* integer = std::get_if<int64_t>(&attr)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<float>(&attr)) return static_cast<double>(*real);
    if (const auto* text = std::get_if<std::string>(&attr)) return *text;
    return {};
}

// The attribute, or its default; a list gives one value an item.
List attribute(const Graph&, const Node& node, std::string_view name) {
    if (const auto found = node.attrs.find(name); found != node.attrs.end()) {
        List out;
        if (const auto* integers = std::get_if<std::vector<int64_t>>(&found->second)) {
            for (const int64_t item : *integers) out.push_back({"", number(static_cast<double>(item))});
            return out;
        }
        return one(fact_of(found->second));
    }
    for (const AttrDef& def : node.op->attrs)
        if (def.name == name && !def.fallback.empty()) {
            const auto numeric = def.kind == AttrKind::text ? std::nullopt : parse_double(def.fallback);
            return one(numeric ? number(*numeric) : Fact(std::string(def.fallback)));
        }
    return {};
}

bool has_input(const Node& node, size_t i) { return i < node.in.size() && node.in[i] != ValueId::none; }

List given(const Graph&, const Node& node, std::string_view argument) {
    const auto i = index_argument(argument);
    return i ? one(yes_no(has_input(node, *i))) : List{};
}
List constant(const Graph& graph, const Node& node, std::string_view argument) {
    const auto i = index_argument(argument);
    return i && has_input(node, *i) ? one(yes_no(graph.value(node.in[*i]).constant())) : List{};
}
List dtype(const Graph& graph, const Node& node, std::string_view argument) {
    const auto i = index_argument(argument);
    if (!i || !has_input(node, *i)) return {};
    const DType type = graph.value(node.in[*i]).type.dtype;
    return one(type == DType::none ? Fact() : Fact(std::string(name_of(type))));
}
// The elements of a constant integer parameter.
List parameter(const Graph& graph, const Node& node, std::string_view argument) {
    const auto i = index_argument(argument);
    if (!i || !has_input(node, *i)) return {};
    const auto items = constant_integers(graph, node, *i);
    if (!items) return one(Fact());
    List out;
    for (const int64_t item : *items) out.push_back({"", number(static_cast<double>(item))});
    return out;
}
List outputs(const Graph&, const Node& node, std::string_view) {
    return one(
        number(static_cast<double>(std::count_if(node.out.begin(), node.out.end(), [](ValueId id) { return id != ValueId::none; }))));
}

const Shape& input_shape(const Graph& graph, const Node& node) {
    static const Shape none;
    return has_input(node, 0) ? graph.value(node.in[0]).type.shape : none;
}

// Is the attribute "axis" the last axis?
List axis_last(const Graph& graph, const Node& node, std::string_view) {
    const Shape& shape = input_shape(graph, node);
    const List axis = attribute(graph, node, "axis");
    if (axis.empty()) return {};
    const double* value = std::get_if<double>(&axis[0].fact);
    if (!value) return one(Fact());
    if (!shape.ranked) return one(*value == -1 ? yes_no(true) : Fact());
    const double last = static_cast<double>(shape.rank()) - 1;
    return one(yes_no(*value == -1 || *value == last));
}

// The axes of a reduction, from its attribute or its constant input 1. nullopt: not known.
std::optional<std::vector<size_t>> known_axes(const Graph& graph, const Node& node) {
    const Shape& shape = input_shape(graph, node);
    if (!shape.ranked) return std::nullopt;
    std::vector<int64_t> axes = NodeView(node).integers("axes");
    if (has_input(node, 1)) {
        const auto items = constant_integers(graph, node, 1);
        if (!items) return std::nullopt;
        axes = *items;
    }
    const bool says_none = std::ranges::find(node.op->attrs, "noop_with_empty_axes", &AttrDef::name) != node.op->attrs.end();
    const bool whole = axes.empty() && !says_none && !pools_space(node);
    const std::vector<bool> flags = whole               ? std::vector<bool>(shape.rank(), true)
                                    : pools_space(node) ? reduced_axes(node, shape.rank(), nullptr)
                                                        : reduced_dims(NodeView(node), axes, shape.rank());
    std::vector<size_t> out;
    for (size_t i = 0; i < flags.size(); ++i)
        if (flags[i]) out.push_back(i);
    return out;
}

List of_reduction(const Graph& graph, const Node& node, const auto& fact) {
    const auto axes = known_axes(graph, node);
    if (!axes) return one(Fact());
    return one(fact(input_shape(graph, node).dims, *axes));
}
List reduced_elements(const Graph& graph, const Node& node, std::string_view) {
    return of_reduction(graph, node, [](const std::vector<Dim>& dims, const std::vector<size_t>& axes) {
        double product = 1;
        for (const size_t axis : axes) {
            if (!dims[axis].known()) return Fact();
            product *= static_cast<double>(dims[axis].value);
        }
        return number(product);
    });
}
List reduced_dim(const Graph& graph, const Node& node, std::string_view) {
    return of_reduction(graph, node, [](const std::vector<Dim>& dims, const std::vector<size_t>& axes) {
        double max = 0;
        for (const size_t axis : axes) {
            if (!dims[axis].known()) return Fact();
            max = std::max(max, static_cast<double>(dims[axis].value));
        }
        return number(max);
    });
}
List reduces_last(const Graph& graph, const Node& node, std::string_view) {
    return of_reduction(graph, node, [](const std::vector<Dim>& dims, const std::vector<size_t>& axes) {
        return yes_no(axes.size() == 1 && axes[0] + 1 == dims.size());
    });
}
// Does it reduce the two spatial dims of a channels-first image and no other?
List reduces_space(const Graph& graph, const Node& node, std::string_view) {
    return of_reduction(graph, node, [](const std::vector<Dim>& dims, std::vector<size_t> axes) {
        std::sort(axes.begin(), axes.end());
        return yes_no(dims.size() == 4 && axes == std::vector<size_t>{2, 3});
    });
}
// Does it reduce over depth where height, width and depth are all above 1?
List reduces_volume(const Graph& graph, const Node& node, std::string_view) {
    return of_reduction(graph, node, [](const std::vector<Dim>& dims, const std::vector<size_t>& axes) {
        if (std::find(axes.begin(), axes.end(), dims.size() - 1) == axes.end() || dims.size() < 3) return yes_no(false);
        for (size_t i = dims.size() > 3 ? dims.size() - 3 : 0; i < dims.size(); ++i)
            if (dims[i].known() && dims[i].value == 1) return yes_no(false);
        return yes_no(dims.size() > 3);
    });
}
List reduces_batch(const Graph& graph, const Node& node, std::string_view) {
    return of_reduction(graph, node, [](const std::vector<Dim>& dims, const std::vector<size_t>& axes) {
        const bool first = std::find(axes.begin(), axes.end(), size_t{0}) != axes.end();
        return yes_no(first && dims.size() > 3 && !(dims[0].known() && dims[0].value == 1));
    });
}

List permutation(const Graph& graph, const Node& node, std::string_view) {
    std::vector<int64_t> perm = NodeView(node).integers("perm");
    const Shape& shape = input_shape(graph, node);
    if (perm.empty() && shape.ranked)
        for (size_t i = shape.rank(); i-- > 0;) perm.push_back(static_cast<int64_t>(i));
    std::string text;
    for (const int64_t axis : perm) text += (text.empty() ? "" : ",") + std::to_string(axis);
    return one(text.empty() ? Fact() : Fact(text));
}

// The greatest product of all dims of input 0 but two.
List outer_product(const Graph& graph, const Node& node, std::string_view) {
    const Shape& shape = input_shape(graph, node);
    if (!shape.fixed()) return one(Fact());
    std::vector<int64_t> dims = *shape.concrete();
    std::sort(dims.begin(), dims.end());
    double product = 1;
    for (size_t i = 2; i < dims.size(); ++i) product *= static_cast<double>(dims[i]);
    return one(number(product));
}

// How many times longer each dim of the output is that has another length than the input's.
std::optional<std::vector<double>> growths(const Graph& graph, const Node& node) {
    if (node.out.empty() || node.out[0] == ValueId::none) return std::nullopt;
    const Shape &in = input_shape(graph, node), &out = graph.value(node.out[0]).type.shape;
    if (!in.ranked || !out.ranked || in.rank() != out.rank()) return std::nullopt;
    const List corners = attribute(graph, node, "coordinate_transformation_mode");
    const bool aligned = !corners.empty() && corners[0].fact == Fact(std::string("align_corners"));
    std::vector<double> ratios;
    for (size_t i = 0; i < in.rank(); ++i) {
        const Dim &a = in.dims[i], &b = out.dims[i];
        if (same(a, b) || (i == 0 && !a.known() && !b.known())) continue;
        if (!a.known() || !b.known() || a.value == 0) return std::nullopt;
        const double less = aligned && a.value > 1 ? 1 : 0;
        ratios.push_back((static_cast<double>(b.value) - less) / (static_cast<double>(a.value) - less));
    }
    return ratios;
}
List growth(const Graph& graph, const Node& node, std::string_view) {
    const auto ratios = growths(graph, node);
    if (!ratios) return one(Fact());
    List out;
    for (const double ratio : *ratios) out.push_back({"", number(ratio)});
    return out;
}
List growing(const Graph& graph, const Node& node, std::string_view) {
    const auto ratios = growths(graph, node);
    return one(ratios ? number(static_cast<double>(ratios->size())) : Fact());
}
List growth_even(const Graph& graph, const Node& node, std::string_view) {
    const auto ratios = growths(graph, node);
    if (!ratios) return one(Fact());
    const std::vector<Dim>& dims = input_shape(graph, node).dims;
    const bool flat = std::any_of(dims.begin() + std::min<int64_t>(1, static_cast<int64_t>(dims.size())), dims.end(),
                                  [](const Dim& dim) { return dim.known() && dim.value == 1; });
    return one(yes_no(ratios->empty() || (ratios->size() == 1 && flat) || (ratios->size() == 2 && ratios->front() == ratios->back())));
}

List broadcast_kind(const Graph& graph, const Node& node, std::string_view) {
    const auto inputs = inputs_of(graph, node);
    if (inputs.size() < 2) return one(std::string("none"));
    const Shape &a = inputs[0].value->type.shape, &b = inputs[1].value->type.shape;
    if (!a.ranked || !b.ranked) return one(Fact());
    if (a == b) return one(std::string("none"));
    return one(std::string(a.rank() == b.rank() ? "dims" : "ranks"));
}

constexpr std::array form_table{
    Quantity{"attribute:", "attribute", "an attribute or its default; each item of a list", attribute},
    Quantity{"given:", "given input", "yes if input N is there", given},
    Quantity{"constant:", "constant input", "yes if input N is a constant", constant},
    Quantity{"dtype:", "element type of input", "the element type that input N stands for", dtype},
    Quantity{"parameter:", "parameter", "the numbers of constant input N", parameter},
    Quantity{"outputs", "outputs", "number of outputs", outputs},
    Quantity{"axis_last", "along the last axis", "yes if attribute axis is the last one", axis_last},
    Quantity{"reduced_elements", "reduced elements", "elements that go into one of the output", reduced_elements},
    Quantity{"reduced_dim", "reduced dim", "the longest dim that is reduced", reduced_dim},
    Quantity{"reduces_volume", "reduces depth of a volume", "yes if depth is reduced and height, width and depth are above 1",
             reduces_volume},
    Quantity{"reduces_last", "reduces the last dim only", "", reduces_last},
    Quantity{"reduces_space", "reduces height and width only", "yes if dims 2 and 3 of four are reduced and no other", reduces_space},
    Quantity{"reduces_batch", "reduces the batch", "yes if the first of four dims is reduced and above 1", reduces_batch},
    Quantity{"permutation", "permutation", "the order of axes of a transpose: 0,2,1", permutation},
    Quantity{"outer_product", "product of all dims but two", "the greatest of input 0", outer_product},
    Quantity{"growth", "growth", "output length over input length of each dim that changes", growth},
    Quantity{"growing", "growing dims", "number of dims whose length changes", growing},
    Quantity{"growth_even", "even growth", "yes if two dims grow alike, or one beside one of length 1", growth_even},
    Quantity{"broadcast", "broadcasting", "none, dims (equal ranks) or ranks", broadcast_kind},
};

}  // namespace

std::span<const Quantity> form_quantities() { return form_table; }

}  // namespace quern::support
