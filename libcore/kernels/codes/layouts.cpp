#include "libcore/kernels/codes/layouts.h"

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::codes {

WeightLayout matrix_layout(const Site& site) {
    const Dims weights = *site.value(site.first().in[1]).type.shape.concrete();
    const bool transposed = site.first().is(ops::Gemm) && NodeView(site.first()).integer("transB") != 0;
    const int64_t k = weights[transposed ? 1 : 0], n = weights[transposed ? 0 : 1];
    return {1, n, 1, k, transposed ? k : 1, 0, transposed ? 1 : n};
}

std::string_view matrix_obstacle(const Site& site) {
    const auto weights = site.value(site.first().in[1]).type.shape.concrete();
    if (!weights || weights->size() != 2 || count_of(*weights) <= 0) return "the second operand is not a matrix";
    const bool turned = site.first().is(ops::Gemm) && NodeView(site.first()).integer("transA") != 0;
    return turned ? "the first operand is transposed" : "";
}

ConvSite conv_alone(const Site& site) { return ConvSite({site.graph, {&site.first()}, site.first().in}); }

bool is_depthwise(const ConvSite& conv) { return conv.group > 1 && conv.group == conv.filter[0] && conv.filter[1] == 1; }

WeightLayout conv_layout(const ConvSite& conv) {
    const int64_t taps = count_of(space_of(conv.filter)), channels = conv.filter[1];
    if (is_depthwise(conv)) return {1, conv.filter[0], taps, 1, taps, 1, 0};
    return {conv.group, conv.filter[0] / conv.group, taps, channels, taps * channels, conv.last ? channels : 1, conv.last ? 1 : taps};
}

std::string_view filter_obstacle(const Site& site) {
    const auto filter = site.value(site.first().in[1]).type.shape.concrete();
    if (!filter || filter->size() < 3 || filter->size() > 5) return "is not 1-, 2- or 3-dimensional";
    if (count_of(*filter) <= 0) return "has no weights";
    const ConvSite conv = conv_alone(site);
    return conv.group < 1 || conv.filter[0] % conv.group != 0 ? "its channels are not those of its groups" : "";
}

}  // namespace quern::codes
