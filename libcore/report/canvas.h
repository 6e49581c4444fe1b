// A picture of boxes and lines as SVG: what stands in a box is given, where it lies is found (drawing.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/report/drawing.h"

namespace quern {

// All texts are plain.
struct Box {
    std::string title = {}, name = {};                     // two lines, the second smaller; cut to fit
    std::string hint = {};                                 // shown at the pointer
    std::string fill = {}, ink = {};                       // "": an end, without colour of its own
    std::string kind = {};                                 // class of its frame: no, asked, module, end
    std::string corner = {};                               // a small text in the lower corner
    std::string id = {}, link = {};                        // of an element in the page; "": none
    std::vector<std::pair<std::string, double>> bar = {};  // colours with their parts of 1, along the lower side
};

class Canvas {
   public:
    size_t add(Box box);
    void join(size_t from, size_t to, bool crossing);  // of boxes added before
    size_t size() const { return boxes_.size(); }

    // With `head` above it, SVG of this size, which is enlarged where the picture is large.
    std::string svg(std::string_view label, const std::string& head = {}, double head_width = 0, double head_height = 0);

   private:
    std::string line(size_t e) const;
    std::string box(size_t v) const;
    std::string far_ends(size_t v, const Point& at) const;

    std::vector<Box> boxes_;
    std::map<std::pair<size_t, size_t>, bool> joined_;
    std::vector<std::pair<size_t, size_t>> edges_;
    std::vector<bool> crossing_;
    std::map<size_t, std::vector<size_t>> far_, near_;  // ends of lines that are not drawn
    Drawing layout_;
};

// The style of such pictures, for a file of its own and for a page: all in .graph.
extern const std::string_view canvas_style;

// The end of a long name says most.
std::string tail(std::string_view text, size_t max);

}  // namespace quern
