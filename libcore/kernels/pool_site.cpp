#include "libcore/kernels/pool_site.h"

#include "libcore/ops/shared/spatial.h"

namespace quern {

std::string_view pool_obstacle(const Site& site) {
    const Node& node = site.first();
    const NodeView view(node);
    const Shape& shape = site.value(node.in[0]).type.shape;
    if (!is_f32(site, node.in[0])) return "is not float32";
    if (!shape.ranked || shape.rank() < 3 || shape.rank() > 5) return "is not 1-, 2- or 3-dimensional";
    if (node.out.size() > 1 && node.out[1] != ValueId::none) return "gives indices";
    if (node.op->name.starts_with("Global")) return "";
    for (const int64_t dilation : view.integers("dilations"))
        if (dilation != 1) return "is dilated";
    return view.integer("ceil_mode") != 0 ? "rounds its size up" : "";
}

PoolSite::PoolSite(const Site& site)
    : view(site.first()),
      last(channels_last(view)),
      global(site.first().op->name.starts_with("Global")),
      max(site.first().op->name.find("Max") != std::string_view::npos),
      counts_padding(!global && !max && view.integer("count_include_pad") != 0) {}

std::shared_ptr<const PoolSite::Place> PoolSite::place(const Dims& given) const {
    return places_->get(given, [&] { return make_place(given); });
}

PoolSite::Place PoolSite::make_place(const Dims& given) const {
    Place at;
    at.x = last ? to_channels_first(given) : given;
    at.out = {at.x[0], at.x[1]};
    const auto space = space_of(at.x);
    const Dims ones(space.size(), 1), none(space.size(), 0);
    std::vector<Dim> spatial;
    for (const int64_t length : space) spatial.push_back(Dim::of(length));
    at.window =
        global ? Window{Dims(space.begin(), space.end()), ones, ones, none, none} : window_of(view, spatial, view.integers("kernel_shape"));
    for (size_t i = 0; i < spatial.size(); ++i) at.out.push_back(global ? 1 : window_count(at.window, i, spatial[i]).value);
    at.result = as_graph(at.out);
    return at;
}

Dims PoolSite::as_graph(const Dims& channels_first) const { return last ? to_channels_last(channels_first) : channels_first; }

}  // namespace quern
