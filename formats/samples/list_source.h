// A source made of lines: for each line, one feed per input.
#pragma once

#include "formats/samples/feed.h"
#include "formats/samples/source.h"
#include "formats/tensors/fit.h"

namespace quern {

class ListSource : public SampleSource {
   public:
    ListSource(const std::vector<InputSpec>& specs, bool native, bool repeat_padding);

    // Feeds in the order of the specs. `place` names the line in messages.
    void add_line(std::vector<std::unique_ptr<Feed>> feeds, std::string place);
    const std::vector<InputSpec>& specs() const { return specs_; }
    bool native() const { return native_; }
    // Of its feeds, each once.
    std::vector<std::string> notices() const;

    uint64_t count() const override;
    std::vector<Tensor> sample(uint64_t i) const override;
    std::string place(uint64_t i) const override;
    uint64_t index(uint64_t i) const override { return segment_of(i).item + (i - segment_of(i).sample) * batch(i); }
    uint64_t results(uint64_t i) const override;
    uint64_t batch(uint64_t i) const override { return static_cast<uint64_t>(segment_of(i).group); }
    uint64_t items() const override;
    bool select(uint64_t first, uint64_t count) override;
    std::string digest() const override;

   private:
    struct Line {
        std::vector<std::unique_ptr<Feed>> feeds;
        std::string place;
        uint64_t item, count;  // first item, items
    };
    // Consecutive items of equal group.
    struct Segment {
        uint64_t sample, item, items;
        int64_t group;
        uint64_t samples() const { return (items + static_cast<uint64_t>(group) - 1) / static_cast<uint64_t>(group); }
    };
    const Segment& segment_of(uint64_t sample) const;
    const Line& line_of(uint64_t item) const;
    int64_t check_groups(const std::vector<std::unique_ptr<Feed>>& feeds, uint64_t count) const;
    Tensor load(size_t input, uint64_t item) const;
    Tensor gather(size_t input, uint64_t first, uint64_t items, int64_t group) const;

    std::vector<InputSpec> specs_;
    bool native_, repeat_padding_;
    std::vector<Line> lines_;
    std::vector<Segment> segments_;
};

}  // namespace quern
