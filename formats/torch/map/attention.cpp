// Attention.
#include <array>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

// Queries, keys and values [batch, heads, length, width]; of rank 3 without a batch.
bool scaled_dot_product(Site& site) {
    const std::string_view mask = site.has("attn_mask") ? "attn_mask" : "attn_bias";
    const size_t rank = site.rank("query");
    if (site.real("dropout_p", 0) != 0 || rank < 3 || rank > 4) return false;
    const ValueId axes = rank == 3 ? site.integers({0}, "batch") : ValueId::none;
    const auto batched = [&](ValueId x) { return rank == 3 ? site.add(ops::Unsqueeze, {x, axes}) : x; };
    Values in{batched(site.in("query")), batched(site.in("key")), batched(site.in("value"))};
    if (site.has(mask)) {
        ValueId own = site.in(mask);
        if (rank == 3 && site.rank(mask) == 3) own = site.add(ops::Unsqueeze, {own, axes});
        in.push_back(own);
    }
    Attrs attrs{{"is_causal", int64_t{site.flag("is_causal")}}};
    if (site.has("scale")) attrs["scale"] = static_cast<float>(site.real("scale", 1));
    if (rank == 3)
        site.result(ops::Squeeze, {site.add(ops::Attention, in, attrs), axes});
    else
        site.result(ops::Attention, in, attrs);
    return true;
}

constexpr std::array attention_table{
    MapRow{.names =
               "aten.scaled_dot_product_attention aten._scaled_dot_product_flash_attention aten._scaled_dot_product_efficient_attention "
               "aten._scaled_dot_product_flash_attention_for_cpu aten._scaled_dot_product_cudnn_attention",
           .ops = "Attention",
           .rewrite = scaled_dot_product,
           .limits = "dropout, ranks other than 3 and 4"},
};

}  // namespace

std::span<const MapRow> attention_rows() { return attention_table; }

}  // namespace quern::torch_format
