// A figure of dots over a scale of decibel: SVG that stretches to the width of the page, with its labels as HTML beside it (.figure, .plot
// of the common style). A dot that is a link to the id of what belongs to it shows that below, in an element with the id picked.
#pragma once

#include <string>
#include <string_view>

namespace quern {

class DecibelPlot {
   public:
    static constexpr int width = 1000, height = 300, top_row = 8;

    void add(double db);  // makes room for it
    void settle();        // after the last one
    bool beyond() const { return beyond_; }

    static int x(double part) { return 12 + static_cast<int>((width - 24) * part); }  // of a part of 1
    int y(double db) const;

    // `content`: SVG in these coordinates. `top`: what the dots at `top_row` are, "" if there are none; `below`: labels of the x axis.
    std::string figure(std::string_view label, bool many, std::string_view top, std::string_view below, const std::string& content) const;
    static std::string label_below(int x, std::string_view text);
    static std::string dot(std::string_view kind, int x, int y, std::string_view id, std::string_view title);  // `title`: HTML
    static std::string picked() { return "<div id=\"picked\" hidden=\"\"></div>\n"; }

   private:
    std::string lines() const;
    std::string labels(std::string_view top) const;
    double step() const;

    double least_ = 1e300, greatest_ = -1e300;
    bool beyond_ = false;
};

}  // namespace quern
