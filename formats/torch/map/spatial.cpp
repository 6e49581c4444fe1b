// Convolutions.
#include <array>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

Ints both_sides(const Ints& pads) {
    Ints all = pads;
    all.insert(all.end(), pads.begin(), pads.end());
    return all;
}

// The odd one goes to the end.
Ints same_pads(const Site& site, const Ints& dilations) {
    Ints before, after;
    for (size_t i = 0; i < dilations.size(); ++i) {
        const int64_t kernel = site.dim("weight", static_cast<int64_t>(i) + 2);
        if (kernel < 1 || kernel > 1 << 24) throw unsupported("a kernel whose size is not fixed");
        const int64_t total = dilations[i] * (kernel - 1);
        before.push_back(total / 2);
        after.push_back(total - total / 2);
    }
    before.insert(before.end(), after.begin(), after.end());
    return before;
}

void convolve(Site& site, bool transposed) {
    if (site.rank("weight") < 3) throw bad_input("a weight of rank {}, need 3 or more", site.rank("weight"));
    const size_t dims = site.rank("weight") - 2;
    const Ints dilations = site.each("dilation", dims, {1}, 1);
    Ints pads;
    if (site.has("padding") && site.need("padding").kind == Argument::Kind::text)
        pads = site.word("padding", "") == "same" ? same_pads(site, dilations) : Ints(2 * dims, 0);
    else
        pads = both_sides(site.each("padding", dims, {0}, 0));
    Attrs attrs{
        {"strides", site.each("stride", dims, {1}, 1)}, {"pads", pads}, {"dilations", dilations}, {"group", site.integer("groups", 1)}};
    if (transposed)
        if (const Ints more = site.each("output_padding", dims, {0}, 0); more != Ints(dims, 0)) attrs["output_padding"] = more;
    const bool single = site.rank("input") == dims + 1;  // without a batch
    const ValueId axis = single ? site.integers({0}, "batch") : ValueId::none;
    Values in{single ? site.add(ops::Unsqueeze, {site.in("input"), axis}) : site.in("input"), site.in("weight")};
    if (site.has("bias")) in.push_back(site.in("bias"));
    const OpId op = transposed ? ops::ConvTranspose : ops::Conv;
    if (single)
        site.result(ops::Squeeze, {site.add(op, in, attrs), axis});
    else
        site.result(op, in, attrs);
}

bool conv(Site& site) {
    convolve(site, false);
    return true;
}
bool conv_transpose(Site& site) {
    convolve(site, true);
    return true;
}
bool convolution(Site& site) {
    convolve(site, site.flag("transposed"));
    return true;
}

constexpr std::array spatial_table{
    MapRow{"aten.conv1d aten.conv2d aten.conv3d", "Conv", conv},
    MapRow{"aten.conv_transpose1d aten.conv_transpose2d aten.conv_transpose3d", "ConvTranspose", conv_transpose},
    MapRow{"aten.convolution aten._convolution", "Conv ConvTranspose", convolution},
};

}  // namespace

std::span<const MapRow> spatial_rows() { return spatial_table; }

}  // namespace quern::torch_format
