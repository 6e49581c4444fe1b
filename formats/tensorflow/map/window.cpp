#include "formats/tensorflow/map/window.h"

#include "formats/tensorflow/map/operands.h"

namespace quern::tensorflow_format {
namespace {

// The first spatial dim of the data, and where its channels are.
size_t space_at(const Site& site) { return channels_last(site) ? 1 : 2; }

Ints explicit_pads(const Site& site, size_t rank) {
    const Ints pairs = site.ints_of("explicit_paddings");
    if (pairs.size() != 2 * rank) throw bad_input("explicit_paddings has {} items, need {}", pairs.size(), 2 * rank);
    const size_t dims = rank - 2, from = space_at(site);
    Ints pads(2 * dims);
    for (size_t i = 0; i < dims; ++i) {
        pads[i] = pairs[2 * (from + i)];
        pads[dims + i] = pairs[2 * (from + i) + 1];
    }
    return pads;
}

}  // namespace

std::optional<Ints> spatial_numbers(const Site& site, std::string_view name, size_t rank) {
    const Ints all = site.ints_of(name);
    if (rank < 3) throw bad_input("works on rank {}", rank);
    if (all.empty()) return Ints(rank - 2, 1);
    if (all.size() != rank) throw bad_input("{} has {} items for rank {}", name, all.size(), rank);
    const size_t from = space_at(site), channels = from == 1 ? rank - 1 : 1;
    Ints space(all.begin() + static_cast<int64_t>(from), all.begin() + static_cast<int64_t>(from + rank - 2));
    for (const int64_t item : space)
        if (item < 1 || item > INT32_MAX) throw bad_input("{} is {}", name, to_string(all));
    if (all[0] != 1 || all[channels] != 1) return std::nullopt;
    return space;
}

std::optional<Attrs> window_attrs(const Site& site, size_t rank) {
    const auto strides = spatial_numbers(site, "strides", rank);
    if (!strides) return std::nullopt;
    Attrs attrs{{"strides", *strides}};
    if (channels_last(site)) attrs["layout"] = std::string("NHWC");
    const std::string padding = site.word("padding", "VALID");
    if (padding == "SAME")
        attrs["auto_pad"] = std::string("SAME_UPPER");
    else if (padding == "EXPLICIT")
        attrs["pads"] = explicit_pads(site, rank);
    else if (padding != "VALID")
        throw bad_input("padding is {}", padding);
    return attrs;
}

}  // namespace quern::tensorflow_format
