// Why nodes are on cpu: by the check that refuses them, with what that costs.
#include <algorithm>
#include <map>

#include "libcore/base/shortened.h"
#include "libcore/base/text.h"
#include "libcore/place/cost.h"
#include "libcore/place/report.h"
#include "libcore/report/html.h"

namespace quern::place {
namespace {

constexpr size_t names_shown = 4, name_shown = 24;  // of names, and of the ends of one

void add_once(std::vector<std::string>& to, const std::string& text) {
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
}

std::string short_list(const std::vector<std::string>& names) {
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), names_shown); ++i) text += (i ? ", " : "") + printable(shortened(names[i], name_shown));
    return names.size() > names_shown ? fmt::format("{} and {} more", text, names.size() - names_shown) : text;
}

// Devices that refuse the same nodes for the same reasons stand in one item.
void join_devices(std::vector<PlacementReport::Refusals>& items) {
    std::vector<PlacementReport::Refusals> joined;
    for (PlacementReport::Refusals& item : items) {
        const auto same = std::ranges::find_if(joined, [&](const PlacementReport::Refusals& other) {
            return other.check == item.check && other.nodes == item.nodes && other.reasons == item.reasons;
        });
        if (same == joined.end())
            joined.push_back(std::move(item));
        else
            same->device += ", " + item.device;
    }
    items = std::move(joined);
}

double macs_of(const PlacementReport& r, const Decision& d) { return work_of(r.graph, r.graph.node(d.node)).macs; }

}  // namespace

std::string PlacementReport::Refusals::cause() const {
    if (reasons.size() == 1) return reasons[0];
    return fmt::format("{} ({}, ...)", check, reasons[0]);
}

std::vector<PlacementReport::Refusals> PlacementReport::refusals() const {
    std::vector<Refusals> out;
    std::map<std::pair<size_t, std::string>, size_t> known;
    double all_macs = 0;
    for (const Decision& d : placement.decisions) {
        if (d.choices.empty()) continue;
        const double macs = macs_of(*this, d);
        all_macs += macs;
        if (d.device != placement.devices[0]) continue;
        for (size_t i = 1; i < d.choices.size(); ++i) {
            if (d.choices[i].refusal.empty()) continue;
            std::string reason = d.choices[i].refusal;
            if (const size_t at = reason.find(of_unit); at != std::string::npos) reason.erase(0, at + of_unit.size());
            const auto [at, fresh] = known.try_emplace({i, d.choices[i].check}, out.size());
            if (fresh) out.push_back({placement.devices[i], d.choices[i].check, {}, {}, {}});
            Refusals& item = out[at->second];
            item.nodes.push_back(d.key);
            add_once(item.reasons, reason);
            add_once(item.types, d.type);
            item.on_cpu += d.choices[0].counted;
            item.there += d.choices[i].counted;
            item.macs += macs;
        }
    }
    join_devices(out);
    for (Refusals& item : out) {
        item.time_share = placement.seconds > 0 ? item.on_cpu / placement.seconds : 0;
        item.macs_share = all_macs > 0 ? item.macs / all_macs : 0;
    }
    std::stable_sort(out.begin(), out.end(), [](const Refusals& a, const Refusals& b) { return a.on_cpu > b.on_cpu; });
    return out;
}

std::string refusal_lines(const PlacementReport& r) {
    std::string text;
    for (const auto& item : r.refusals())
        text += fmt::format("  {} ({:.1f} % of a run, {:.1f} % of MACs) {}: {}\n    {} ({}; {}), would take {} there\n",
                            human_seconds(item.on_cpu), 100 * item.time_share, 100 * item.macs_share, item.device, printable(item.cause()),
                            count_of_nodes(item.nodes.size()), short_list(item.types), short_list(item.nodes), human_seconds(item.there));
    return text;
}

}  // namespace quern::place
