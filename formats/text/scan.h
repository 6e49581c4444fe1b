// Scanner: a cursor over hostile text. Every failure is Exit::bad_input with line and column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"

namespace quern::text {

class Scanner {
   public:
    explicit Scanner(std::string_view text) : text_(text) {}

    size_t position();  // of the next token
    bool at_end();
    char peek();  // first character of the next token, 0 at the end

    bool accept(std::string_view symbol);  // punctuation
    void expect(std::string_view symbol);
    bool accept_word(std::string_view word);  // a whole identifier
    bool next_is_word(std::string_view word);
    bool next_is(std::string_view symbol);
    char symbol_character();  // of a bare dimension symbol: [A-Za-z0-9_$.-]

    std::string_view word();    // [A-Za-z_][A-Za-z0-9_$.]*, or empty if the next token is none
    std::string string();       // "..." with MLIR's escapes
    std::string name();         // bare word, digits or string: what follows % @ ^
    std::string_view number();  // -1, 0.5e-3, 0x7FC00000
    std::string_view hex();     // the characters of a "0x..." string, "0x" left out
    bool next_is_hex();
    int64_t integer();
    std::string_view digits();  // of a dimension: "0xf32" is a 0 here

    std::string place(size_t position) const;  // "12:3"
    // "12:3: message", the line and a caret below it as details.
    Error error(size_t position, const std::string& message) const;
    Error unexpected(std::string_view need);  // got the next token instead

    // Guards recursion: at most 64 levels.
    class Depth {
       public:
        explicit Depth(Scanner& scanner) : scanner_(scanner) {
            if (++scanner_.depth_ > 64) throw scanner_.error(scanner_.position(), "nested deeper than 64 levels");
        }
        ~Depth() { --scanner_.depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;

       private:
        Scanner& scanner_;
    };

   private:
    void skip();
    std::string_view text_;
    size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace quern::text
