// A page is rows over the JSON that a tool writes: each panel says what it is called, at which path its items are and how they are shown.
// What comes out needs nothing from outside, can be read without scripts, and is well-formed XML behind its first line.
//
// Texts are HTML with holes. {path} or {path:form} is a member of the item that a text is about, made safe: keys and indices with / between
// them; "." is the item, "#" its number in the table, and what begins with / is looked up from the whole document. [What stands in
// brackets] is left out if a hole in it has nothing to show: its member is not there, null, "", false, an empty list, or not a number.
// Forms are rows of forms.cpp.
#pragma once

#include <string>
#include <vector>

#include "libcore/report/dots.h"

namespace quern {

// Of a table. A text each; infinite numbers may be in any of them, though JSON in a file has null there.
struct Column {
    enum class Is { words, number, why, picture };  // why: what comes first in narrow windows; picture: only of rows that open
    std::string head, cell;
    Is is = Is::words;
    std::string by = {};    // the path of the number that rows are sorted by, "-path": the greatest first; "n": by the text
    std::string more = {};  // what a cell opens; "": it does not
};

// Picks rows by what they have at `by`. `option`: what the choices are called, of the value.
struct Filter {
    std::string by, all, option = "{.}";
};

// A figure and what it is; it is left out if the figure is empty, or a hole in either has nothing.
struct Card {
    std::string figure, text;
};

// Without anything to show, a panel is left out with its title. Paths and texts are about the object at `from`, or about each item of a
// list there.
struct Panel {
    std::string title = {};  // these three are about what the panel is in
    std::string from = {};
    std::string text = {};
    std::string drawn = {};  // HTML as it is
    std::vector<Card> cards = {};
    std::string items = {}, around = {};  // a text for each, in an element of this class
    std::vector<Panel> each = {};         // panels for each
    Dots dots = {};
    std::vector<Column> columns = {};  // a table
    std::string order = {};            // the path of the number by which it is sorted
    std::string search = {};           // what its field for search says; "": it has none
    std::vector<Filter> filters = {};
    size_t listed = 500;
    size_t opens = static_cast<size_t>(-1);  // how many rows have pictures, and open
    std::string others = {};                 // where those are that are not listed
    std::string fold = {};                   // a text: the table is closed at first, and this opens it
    std::string below = {};                  // a text
};

struct Page {
    std::string title, head = {};  // texts; head: below the title
    std::vector<Panel> panels;
    std::string style = {}, script = {};  // beside those that all pages have
};

std::string html_page(const Page& page, const Json& document);

}  // namespace quern
