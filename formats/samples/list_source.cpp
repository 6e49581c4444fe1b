#include "formats/samples/list_source.h"

#include <algorithm>
#include <cstring>

#include "libcore/base/digest.h"
#include "libcore/base/text.h"

namespace quern {

ListSource::ListSource(const std::vector<InputSpec>& specs, bool native, bool repeat_padding)
    : specs_(specs), native_(native), repeat_padding_(repeat_padding) {}

// The group of a line. Its feeds must agree: inputs with a batch all give elements of it, or all give whole batches.
int64_t ListSource::check_groups(const std::vector<std::unique_ptr<Feed>>& feeds, uint64_t count) const {
    int64_t group = 1;
    for (const auto& feed : feeds) group = std::max(group, feed->group);
    for (size_t i = 0; i < feeds.size(); ++i) {
        const Feed& feed = *feeds[i];
        if (feed.count != count && feed.count != 1)
            throw bad_input("{}: has {} samples, the line's other files have {}", feed.file, feed.count, count);
        const Shape& shape = specs_[i].type.shape;
        const bool batched = group > 1 && shape.ranked && shape.rank() >= 2 && shape.dims[0].value == group;
        if (batched && feed.group == 1) throw bad_input("{}: holds a whole batch, other files of the line one element each", feed.file);
        if (feed.group != 1 && feed.group != group) throw bad_input("{}: element of a batch of {}, need {}", feed.file, feed.group, group);
    }
    return group;
}

void ListSource::add_line(std::vector<std::unique_ptr<Feed>> feeds, std::string place) {
    at_place(place, [&] {
        uint64_t count = 1;
        for (const auto& feed : feeds)
            if (feed->count != 1) count = feed->count;
        const int64_t group = check_groups(feeds, count);
        const uint64_t item = lines_.empty() ? 0 : lines_.back().item + lines_.back().count;
        if (segments_.empty() || segments_.back().group != group)
            segments_.push_back({segments_.empty() ? 0 : segments_.back().sample + segments_.back().samples(), item, 0, group});
        segments_.back().items += count;
        if (count > 0) lines_.push_back({std::move(feeds), place, item, count});
    });
}

std::vector<std::string> ListSource::notices() const {
    std::vector<std::string> all;
    for (const Line& line : lines_)
        for (const auto& feed : line.feeds)
            for (const std::string& notice : feed->notices)
                if (std::ranges::find(all, notice) == all.end()) all.push_back(notice);
    return all;
}

uint64_t ListSource::count() const { return segments_.empty() ? 0 : segments_.back().sample + segments_.back().samples(); }

uint64_t ListSource::items() const {
    uint64_t items = 0;
    for (const Segment& segment : segments_) items += segment.items;
    return items;
}

bool ListSource::select(uint64_t first, uint64_t count) {
    std::vector<Segment> left;
    for (Segment segment : segments_) {
        const uint64_t skipped = std::min(first, segment.items);
        first -= skipped;
        segment.sample = left.empty() ? 0 : left.back().sample + left.back().samples();
        segment.item += skipped;
        segment.items = std::min(segment.items - skipped, count);
        count -= segment.items;
        if (segment.items > 0) left.push_back(segment);
    }
    segments_ = std::move(left);
    return true;
}

const ListSource::Segment& ListSource::segment_of(uint64_t sample) const {
    const auto after =
        std::upper_bound(segments_.begin(), segments_.end(), sample, [](uint64_t s, const Segment& g) { return s < g.sample; });
    return *std::prev(after);
}

const ListSource::Line& ListSource::line_of(uint64_t item) const {
    const auto after = std::upper_bound(lines_.begin(), lines_.end(), item, [](uint64_t n, const Line& line) { return n < line.item; });
    return *std::prev(after);
}

uint64_t ListSource::results(uint64_t i) const {
    const Segment& segment = segment_of(i);
    const auto group = static_cast<uint64_t>(segment.group);
    return std::min(group, segment.items - (i - segment.sample) * group);
}

std::string ListSource::place(uint64_t i) const {
    const Line& line = line_of(index(i));
    return line.place.empty() ? fmt::format("sample {}", i) : fmt::format("sample {} ({})", i, line.place);
}

Tensor ListSource::load(size_t input, uint64_t item) const {
    const Line& line = line_of(item);
    const Feed& feed = *line.feeds[input];
    return feed.load(feed.count == 1 ? 0 : item - line.item);
}

// Elements of a batch side by side; what is missing at the end is zeros, or the last element again.
Tensor ListSource::gather(size_t input, uint64_t first, uint64_t items, int64_t group) const {
    Tensor tensor = load(input, first);
    if (line_of(first).feeds[input]->group == 1) return tensor;  // an input without batch
    const size_t size = tensor.data.size();
    MutableBytes out(size * static_cast<size_t>(group));
    for (uint64_t i = 0; i < static_cast<uint64_t>(group); ++i) {
        if (i > 0 && i < items) tensor = load(input, first + i);
        if (i < items || repeat_padding_)
            std::memcpy(out.data() + i * size, tensor.data.data(), size);
        else
            std::memset(out.data() + i * size, 0, size);
    }
    tensor.dims[0] = group;
    tensor.data = std::move(out).freeze();
    return tensor;
}

std::vector<Tensor> ListSource::sample(uint64_t i) const {
    const uint64_t first = index(i);
    const Line& line = line_of(first);
    return at_place(line.place.empty() ? fmt::format("sample {}", i) : line.place, [&] {
        std::vector<Tensor> tensors;
        for (size_t input = 0; input < specs_.size(); ++input) tensors.push_back(gather(input, first, results(i), segment_of(i).group));
        return tensors;
    });
}

std::string ListSource::digest() const {
    Digest digest;
    for (const Line& line : lines_)
        for (size_t i = 0; i < line.feeds.size(); ++i)
            digest.update(fmt::format("{}\n{}\n{} {}\n", specs_[i].name, line.feeds[i]->file, line.feeds[i]->bytes, line.count) +
                          line.feeds[i]->contents);
    for (const Segment& segment : segments_) digest.update(fmt::format("{} {} {}\n", segment.item, segment.items, segment.group));
    digest.update(fmt::format("{} {}", native_, repeat_padding_));
    return digest.hex();
}

}  // namespace quern
