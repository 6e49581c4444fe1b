// Blocks of space moved into the batch or the channels, and back.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "formats/tensorflow/map/window.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tensorflow_format {
namespace {

using decompose::Term;

// Block and frame: those of the first generation have one block for two dims.
std::optional<Ints> block_of(Site& site) {
    if (site.inputs() > 2) return site.ints(1);
    return Ints(2, site.integer("block_size", 0));
}
std::optional<Ints> frame_of(Site& site) { return site.ints(site.inputs() - 1); }

using BlocksMoved = std::optional<Term>(const Term& x, const Ints& dims, const Ints& block, const Ints& frame);

template <BlocksMoved* moved>
bool regrouped(Site& site) {
    const auto block = block_of(site), frame = frame_of(site);
    return block && frame && bind_result(site, moved(decompose::term(site), site.dims(0), *block, *frame));
}

// ---- a convolution between both is one with dilations ----

// The node that makes the first operand of node `at`, if it is one of `kinds`.
std::optional<size_t> made_by(const Scope& scope, size_t at, std::string_view kinds) {
    if (scope.from.inputs[at].empty()) return std::nullopt;
    const size_t maker = scope.from.inputs[at][0].node;
    const std::string name = " " + scope.from.nodes[maker].op + " ";
    return kinds.find(name) == std::string_view::npos ? std::nullopt : std::optional(maker);
}

// SpaceToBatchND -> (ExpandDims ->) Conv2D or the like -> (Squeeze ->) BatchToSpaceND.
struct Chain {
    size_t before, convolution;
    std::optional<size_t> expand, squeeze;
};

std::optional<Chain> chain_of(Site& site) {
    const Scope& scope = site.scope();
    const auto own = scope.from.by_name.find(site.of().name);
    if (own == scope.from.by_name.end()) return std::nullopt;
    const auto squeeze = made_by(scope, own->second, " Squeeze ");
    const auto convolution = made_by(scope, squeeze.value_or(own->second), " Conv2D DepthwiseConv2dNative ");
    if (!convolution) return std::nullopt;
    const auto expand = made_by(scope, *convolution, " ExpandDims ");
    const auto before = made_by(scope, expand.value_or(*convolution), " SpaceToBatchND ");
    if (!before || squeeze.has_value() != expand.has_value()) return std::nullopt;
    return Chain{*before, *convolution, expand, squeeze};
}

// [before and after each block] of what is padded and not cut off again, as known pairs or as pads in front of the data.
ValueId padded(Site& site, Site& before, ValueId x, size_t dims, std::optional<Ints>& frame) {
    const auto pads = frame_of(before), crops = frame_of(site);
    frame = Ints(2 * dims, 0);
    bool known = pads && crops;
    for (size_t i = 0; known && i < 2 * dims; ++i) {
        (*frame)[i] = (*pads)[i] - (*crops)[i];
        known = (*frame)[i] >= 0;
    }
    if (known) return x;
    frame.reset();
    const ValueId rest = site.add(ops::Sub, {before.as_i64(before.inputs() - 1), site.as_i64(site.inputs() - 1)});
    const ValueId columns = site.reshape(site.transpose(rest, {1, 0}), {-1});
    Ints axes;
    for (size_t i = 0; i < dims; ++i) axes.push_back(static_cast<int64_t>(i) + 1);
    return site.add(ops::Pad, {x, columns, ValueId::none, site.integers(axes)});
}

std::optional<ValueId> dilated(Site& site) {
    const auto chain = chain_of(site);
    if (!chain) return std::nullopt;
    Site before(site.importer(), site.scope(), chain->before), middle(site.importer(), site.scope(), chain->convolution);
    const auto block = block_of(before), own = block_of(site);
    const Ints none{1, 1};
    if (!block || block != own || middle.rank(1) != 4 || middle.word("padding", "") != "VALID" || !channels_last(middle) ||
        spatial_numbers(middle, "strides", 4) != none || spatial_numbers(middle, "dilations", 4) != none)
        return std::nullopt;
    const size_t dims = block->size();
    int64_t axis = 0;
    if (chain->expand) {  // of data with one spatial dim
        Site expand(site.importer(), site.scope(), *chain->expand);
        const auto where = expand.integer_in(1);
        if (!where || dims != 1 || before.rank(0) != 3) return std::nullopt;
        axis = static_cast<int64_t>(normal_axis(*where, 4));
        if (axis != 1 && axis != 2) return std::nullopt;
    } else if (dims != 2) {
        return std::nullopt;
    }
    std::optional<Ints> pairs;
    ValueId x = padded(site, before, before.in(0), dims, pairs);
    Ints dilations = *block, pads(4, 0);
    for (size_t i = 0; pairs && i < dims; ++i) {
        const size_t at = chain->expand && axis == 1 ? 1 : i;
        pads[at] = (*pairs)[2 * i];
        pads[at + 2] = (*pairs)[2 * i + 1];
    }
    if (chain->expand) {
        dilations.insert(axis == 1 ? dilations.begin() : dilations.end(), 1);
        x = unsqueezed(site, x, {axis});
    }
    const auto made = convolved(middle, x, {{"dilations", dilations}, {"pads", pads}}, middle.of().op == "DepthwiseConv2dNative");
    if (!made || !chain->squeeze) return made;
    return squeezed(site, *made, {axis});
}

bool batch_to_space(Site& site) {
    if (const auto made = dilated(site)) return give(site, *made);
    return regrouped<decompose::batch_to_space>(site);
}

// ---- channels ----

template <const OpId& op>
bool channels_and_space(Site& site) {
    const Term x = decompose::term(site);
    return give(site, decompose::channels_and_space(op, x, site.dims(0), site.integer("block_size", 0), channels_last(site)));
}

constexpr std::array blocks_table{
    MapRow{"BatchToSpace BatchToSpaceND", "Conv Reshape Transpose Slice", batch_to_space},
    MapRow{"DepthToSpace", "Reshape Transpose", channels_and_space<ops::DepthToSpace>},
    MapRow{"SpaceToBatch SpaceToBatchND", "Pad Reshape Transpose", regrouped<decompose::space_to_batch>},
    MapRow{"SpaceToDepth", "Reshape Transpose", channels_and_space<ops::SpaceToDepth>},
};

}  // namespace

std::span<const MapRow> block_rows() { return blocks_table; }

}  // namespace quern::tensorflow_format
