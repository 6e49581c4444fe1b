#include "libcore/report/drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace quern {
namespace {

constexpr size_t longest_line = 30;  // layers: what goes further is not drawn
constexpr double gap_x = 18, gap_y = 26, gutter = 46, margin = 24;

// A vertex of the request, or a bend of the lines that leave one.
struct Box {
    size_t layer = 0;
    double width = 0, x = 0;
    std::vector<size_t> up, down;
    size_t place = 0;  // in its layer
};

class Layers {
   public:
    explicit Layers(const DrawingRequest& request) : request_(request) {}

    Drawing run() {
        add_boxes();
        add_lines();
        for (size_t b = 0; b < boxes_.size(); ++b) layers_[boxes_[b].layer].push_back(b);
        for (int sweep = 0; sweep < 8; ++sweep) order(sweep % 2 == 0);
        renumber();
        for (int sweep = 0; sweep < 12; ++sweep) move(sweep % 2 == 0);
        return fold();
    }

   private:
    double step() const { return request_.height + gap_y; }

    void add_boxes() {
        boxes_.resize(request_.vertices);
        for (Box& box : boxes_) box.width = request_.width;
        std::vector<std::pair<size_t, size_t>> edges = request_.edges;
        std::sort(edges.begin(), edges.end());
        for (const auto& [from, to] : edges) boxes_[to].layer = std::max(boxes_[to].layer, boxes_[from].layer + 1);
        pull_down(edges);
        size_t max = 0;
        for (const Box& box : boxes_) max = std::max(max, box.layer);
        layers_.resize(max + 1);
    }

    // What nothing precedes stands right above its first reader.
    void pull_down(const std::vector<std::pair<size_t, size_t>>& edges) {
        constexpr size_t none = std::numeric_limits<size_t>::max();
        std::vector<size_t> first(boxes_.size(), none);
        std::vector<bool> fed(boxes_.size(), false);
        for (const auto& [from, to] : edges) {
            first[from] = std::min(first[from], boxes_[to].layer);
            fed[to] = true;
        }
        for (size_t b = 0; b < boxes_.size(); ++b)
            if (!fed[b] && first[b] != none && first[b] > 0) boxes_[b].layer = first[b] - 1;
    }

    void connect(size_t upper, size_t lower) {
        boxes_[upper].down.push_back(lower);
        boxes_[lower].up.push_back(upper);
    }

    // Lines of one vertex share their bends.
    void add_lines() {
        std::map<size_t, std::vector<size_t>> chains;  // by vertex: its bends, one in each layer below it
        for (const auto& [from, to] : request_.edges) {
            std::vector<size_t> path{from};
            const size_t span = boxes_[to].layer - boxes_[from].layer;
            if (span > longest_line) {
                paths_.emplace_back();
                continue;
            }
            auto& chain = chains[from];
            for (size_t k = 0; k + 1 < span; ++k) {
                if (k == chain.size()) {
                    Box bend;
                    bend.layer = boxes_[from].layer + k + 1;
                    bend.width = 8;
                    boxes_.push_back(std::move(bend));
                    chain.push_back(boxes_.size() - 1);
                    connect(k ? chain[k - 1] : from, chain[k]);
                }
                path.push_back(chain[k]);
            }
            connect(path.back(), to);
            path.push_back(to);
            paths_.push_back(std::move(path));
        }
    }

    void renumber() {
        for (const auto& layer : layers_)
            for (size_t i = 0; i < layer.size(); ++i) boxes_[layer[i]].place = i;
    }

    // Each layer sorted by the mean place of what it is tied to above (or below).
    void order(bool downward) {
        renumber();
        for (size_t k = 0; k < layers_.size(); ++k) {
            auto& layer = layers_[downward ? k : layers_.size() - 1 - k];
            std::vector<std::pair<double, size_t>> keyed;
            for (const size_t b : layer) {
                const auto& ties = downward ? boxes_[b].up : boxes_[b].down;
                double sum = 0;
                for (const size_t t : ties)
                    sum += static_cast<double>(boxes_[t].place) / static_cast<double>(layers_[boxes_[t].layer].size());
                const double own = static_cast<double>(boxes_[b].place) / static_cast<double>(layer.size());
                keyed.emplace_back(ties.empty() ? own : sum / static_cast<double>(ties.size()), b);
            }
            std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            for (size_t i = 0; i < layer.size(); ++i) boxes_[layer[i] = keyed[i].second].place = i;
        }
    }

    // Each box as near as its neighbours in the layer allow to the mean of what it is tied to: isotonic regression (pool adjacent
    // violators).
    void move(bool downward) {
        for (size_t k = 0; k < layers_.size(); ++k) {
            const auto& layer = layers_[downward ? k : layers_.size() - 1 - k];
            std::vector<double> offset(layer.size(), 0);
            for (size_t i = 1; i < layer.size(); ++i)
                offset[i] = offset[i - 1] + (boxes_[layer[i - 1]].width + boxes_[layer[i]].width) / 2 + gap_x;
            struct Pool {
                double sum, weight;
                size_t count;
            };
            std::vector<Pool> pools;
            for (size_t i = 0; i < layer.size(); ++i) {
                const Box& box = boxes_[layer[i]];
                const double weight = box.width < request_.width ? 3 : 1;  // lines are kept straight first
                pools.push_back({(wish(box, downward) - offset[i]) * weight, weight, 1});
                while (pools.size() > 1 &&
                       pools.back().sum / pools.back().weight < pools[pools.size() - 2].sum / pools[pools.size() - 2].weight) {
                    const Pool last = pools.back();
                    pools.pop_back();
                    pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight, pools.back().count + last.count};
                }
            }
            size_t i = 0;
            for (const Pool& pool : pools)
                for (size_t n = 0; n < pool.count; ++n, ++i) boxes_[layer[i]].x = pool.sum / pool.weight + offset[i];
        }
    }

    double wish(const Box& box, bool downward) const {
        const auto& ties = downward ? box.up : box.down;
        if (ties.empty()) return box.x;
        double sum = 0;
        for (const size_t t : ties) sum += boxes_[t].x;
        return sum / static_cast<double>(ties.size());
    }

    // ---- columns ------------------------------------------------------------------------------------------------------

    std::pair<double, double> extent(size_t first, size_t last) const {
        double lo = std::numeric_limits<double>::max(), hi = std::numeric_limits<double>::lowest();
        for (size_t k = first; k < last; ++k)
            for (const size_t b : layers_[k]) {
                lo = std::min(lo, boxes_[b].x - boxes_[b].width / 2);
                hi = std::max(hi, boxes_[b].x + boxes_[b].width / 2);
            }
        return {lo, hi};
    }

    // As many columns as bring the drawing nearest to the wanted shape.
    size_t column_count() const {
        size_t best = 1;
        double nearest = std::numeric_limits<double>::max();
        for (size_t columns = 1; columns <= std::min<size_t>(layers_.size(), 60); ++columns) {
            const size_t rows = (layers_.size() + columns - 1) / columns;
            double width = 0;
            for (size_t k = 0; k < layers_.size(); k += rows) {
                const auto [lo, hi] = extent(k, std::min(k + rows, layers_.size()));
                width += hi - lo + gutter;
            }
            const double ratio = width / (static_cast<double>(rows) * step()) / request_.aspect, off = std::max(ratio, 1 / ratio);
            if (off < nearest - 1e-9) {
                nearest = off;
                best = columns;
            }
        }
        return best;
    }

    Drawing fold() {
        Drawing out;
        if (boxes_.empty()) return out;
        const size_t rows = (layers_.size() + column_count() - 1) / column_count();
        std::vector<Point> centre(boxes_.size());
        std::vector<double> left;  // of each column, the gutter before it
        double x = margin;
        for (size_t k = 0; k < layers_.size(); k += rows) {
            const size_t end = std::min(k + rows, layers_.size());
            const auto [lo, hi] = extent(k, end);
            left.push_back(x - gutter / 2);
            for (size_t layer = k; layer < end; ++layer)
                for (const size_t b : layers_[layer])
                    centre[b] = {x + boxes_[b].x - lo, margin + static_cast<double>(layer - k) * step() + request_.height / 2};
            x += hi - lo + gutter;
        }
        out.width = x - gutter + margin;
        out.height = 2 * margin + static_cast<double>(rows) * step() - gap_y;
        out.at.assign(centre.begin(), centre.begin() + static_cast<std::ptrdiff_t>(request_.vertices));
        for (const auto& path : paths_) out.lines.push_back(line(path, centre, rows, left, out.height));
        return out;
    }

    std::vector<Point> line(const std::vector<size_t>& path, const std::vector<Point>& centre, size_t rows, const std::vector<double>& left,
                            double height) const {
        std::vector<Point> points;
        for (size_t i = 0; i < path.size(); ++i) {
            const Box& box = boxes_[path[i]];
            const bool real = path[i] < request_.vertices;
            const double half = real ? request_.height / 2 : 0;
            if (i > 0) {
                const size_t column = box.layer / rows;
                if (boxes_[path[i - 1]].layer / rows != column) {  // down to the edge, up through the gutter, in from above
                    const double lane = std::fmod(static_cast<double>(path[i]) * 5, gutter * 0.6) - gutter * 0.3;
                    const double bottom = height - margin / 2, top = margin / 2, across = left[column] + lane;
                    points.push_back({points.back().x, bottom});
                    points.push_back({across, bottom});
                    points.push_back({across, top});
                    points.push_back({centre[path[i]].x, top});
                }
                points.push_back({centre[path[i]].x, centre[path[i]].y - half});
            }
            if (i + 1 < path.size()) points.push_back({centre[path[i]].x, centre[path[i]].y + half});
        }
        return points;
    }

    const DrawingRequest& request_;
    std::vector<Box> boxes_;
    std::vector<std::vector<size_t>> layers_;
    std::vector<std::vector<size_t>> paths_;
};

}  // namespace

Drawing lay_out(const DrawingRequest& request) { return Layers(request).run(); }

}  // namespace quern
