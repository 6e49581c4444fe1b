// Blocks of space moved into the batch or the channels, and back.
#include <algorithm>
#include <array>

#include "formats/shared/blocks.h"
#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "formats/tensorflow/map/window.h"

namespace quern::tensorflow_format {
namespace {

// Block and frame: those of the first generation have one block for two dims.
std::optional<Ints> block_of(Site& site) {
    if (site.inputs() > 2) return site.ints(1);
    return Ints(2, site.integer("block_size", 0));
}
std::optional<Ints> frame_of(Site& site) { return site.ints(site.inputs() - 1); }

// The dims of the data; nullopt: another than the first is not known.
std::optional<Ints> dims_of(Site& site) {
    Ints dims;
    for (size_t i = 0; i < site.rank(0); ++i) {
        dims.push_back(site.dim(0, static_cast<int64_t>(i)));
        if (i > 0 && dims.back() < 0) return std::nullopt;
    }
    return dims;
}

ValueId regrouped(Site& site, const Regrouping& plan) {
    ValueId x = site.in(0);
    if (!plan.pads.empty()) x = site.add(ops::Pad, {x, site.integers(plan.pads)});
    x = site.reshape(site.transpose(site.reshape(x, plan.apart), plan.order), plan.together);
    if (plan.axes.empty()) return x;
    return site.add(ops::Slice, {x, site.integers(plan.starts), site.integers(plan.ends), site.integers(plan.axes)});
}

bool space_to_batch(Site& site) {
    const auto block = block_of(site), frame = frame_of(site), dims = dims_of(site);
    return block && frame && dims && give(site, regrouped(site, quern::space_to_batch(*dims, *block, *frame)));
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
    const ValueId rest = site.add(ops::Sub, {as_i64(before, before.inputs() - 1), as_i64(site, site.inputs() - 1)});
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
    const auto block = block_of(site), frame = frame_of(site), dims = dims_of(site);
    return block && frame && dims && give(site, regrouped(site, quern::batch_to_space(*dims, *block, *frame)));
}

// ---- channels ----

int64_t block_size(Site& site) {
    const int64_t b = site.integer("block_size", 0);
    if (b < 1 || b > 1 << 15) throw bad_input("has blocks of {}", b);
    return b;
}

// [N, H, W, C] taken apart, reordered, put together.
ValueId in_blocks(Site& site, const Ints& apart, const Ints& together) {
    return site.reshape(site.transpose(site.reshape(site.in(0), apart), {0, 1, 3, 2, 4, 5}), together);
}

template <bool to_depth>
bool channels_and_space(Site& site) {
    const OpId op = to_depth ? ops::SpaceToDepth : ops::DepthToSpace;
    const int64_t b = block_size(site);
    if (site.rank(0) != 4) throw bad_input("works on rank {}, need 4", site.rank(0));
    Attrs attrs{{"blocksize", b}};
    if (!to_depth) attrs["mode"] = std::string("DCR");
    if (!channels_last(site)) return give(site, site.add(op, {site.in(0)}, attrs));
    const int64_t h = site.dim(0, 1), w = site.dim(0, 2), c = site.dim(0, 3);
    if (h < 0 || w < 0 || c < 0) {
        const ValueId first = site.transpose(site.in(0), {0, 3, 1, 2});
        return give(site, site.transpose(site.add(op, {first}, attrs), {0, 2, 3, 1}));
    }
    if (to_depth ? h % b != 0 || w % b != 0 : c % (b * b) != 0) throw bad_input("{} x {} x {} in blocks of {}", h, w, c, b);
    if (to_depth) return give(site, in_blocks(site, {-1, h / b, b, w / b, b, c}, {-1, h / b, w / b, b * b * c}));
    return give(site, in_blocks(site, {-1, h, w, b, b, c / (b * b)}, {-1, h * b, w * b, c / (b * b)}));
}

constexpr std::array blocks_table{
    MapRow{"BatchToSpace BatchToSpaceND", "Conv Reshape Transpose Slice", batch_to_space},
    MapRow{"DepthToSpace", "Reshape Transpose", channels_and_space<false>},
    MapRow{"SpaceToBatch SpaceToBatchND", "Pad Reshape Transpose", space_to_batch},
    MapRow{"SpaceToDepth", "Reshape Transpose", channels_and_space<true>},
};

}  // namespace

std::span<const MapRow> block_rows() { return blocks_table; }

}  // namespace quern::tensorflow_format
