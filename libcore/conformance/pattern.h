// Patterns of operands and attributes, by which nodes are drawn whose operands must fit each other.
//
//     "f[N,C,H,W] f[M,C/G,K,K]w f[M]w?"    "group=G pads?=P,P,P,P"
//
// An operand is an element type and dims. f: float32, i: int64, n: int32, b: bool, u: uint8, s: int8, T: the node's own type. A dim is an
// expression of numbers and letters; a letter alone takes what it meets. `*` stands for any dims, the same ones each time; `~` for a shape
// that broadcasts to that of the first operand. Behind the dims:
//     {low:high}  the numbers lie between these      =1,U,-1  a constant of these numbers
//     w           a constant                         ?        may be absent ("-": is absent)
// R is the rank of the first operand. Attributes: `name=` is always set, `name?=` in half of the nodes; to expressions, {low:high}, words
// of which one is taken (a|b) or `~`, a permutation of R.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/conformance/draw.h"
#include "libcore/graph/op.h"

namespace quern::random_graphs {

// How nodes of an operator are drawn; operators may have several.
struct Hint {
    std::string_view op;  // full_name()
    std::string_view operands;
    std::string_view attributes = {};
    int outputs = 1;
    int64_t max = 3000;  // elements of a value
};
// Those that were added, else those that are written here, else what the row alone tells.
std::vector<Hint> hints_of(const Op& op);

// Adds a hint for the life of the process: "com.example.Scale: f[N,C] f[C]w; factor={0.5:2}; 2", with attributes and the number of outputs
// if there are any to say. Gives the operator's name; throws Exit::usage.
std::string add_hint(const std::string& text);
std::vector<Hint> added_hints(std::string_view op);
// Usual operands of so many inputs, for operators of which no more is known: some of them fit.
std::vector<Hint> guessed_hints(const Op& op);

struct Operand {
    char type = 'T';
    bool absent = false, constant = false, optional = false;
    std::vector<std::string> dims, items;
    std::string low, high;
};
std::vector<Operand> operands_of(const Hint& hint);

// What letters stand for while a node is drawn.
class Letters {
   public:
    // `large`: what nothing binds takes large numbers.
    explicit Letters(Draw& draw, bool large = false) : draw_(draw), large_(large) {}

    // Letters without a number get one. Throws Misfit where a division leaves a rest or a range is empty.
    int64_t value(std::string_view expression);
    double real(std::string_view expression);  // "0.5", or an expression
    int64_t item(std::string_view text);       // an expression, {low:high} or a|b
    // Do `dims` fit? Letters alone get their numbers.
    bool match(const std::vector<std::string>& pattern, const Dims& dims);
    Dims dims(const std::vector<std::string>& pattern);
    void set_first(const Dims& dims);
    const Dims& first() const { return first_; }
    void restore(const Letters& before) {
        numbers_ = before.numbers_;
        rest_ = before.rest_;
    }

    struct Misfit {};

   private:
    int64_t sum(std::string_view& text);
    int64_t product(std::string_view& text);
    int64_t factor(std::string_view& text);
    int64_t magnitude(std::string_view& text);
    int64_t letter(char name);
    Dims some_dims();
    Draw& draw_;
    bool large_;
    std::map<char, int64_t> numbers_;
    std::optional<Dims> rest_;
    Dims first_;
};

// The attributes of the hint, and now and then another number or flag for one that the row has.
Attrs attributes_of(const Hint& hint, const Op& op, Letters& letters, Draw& draw);

}  // namespace quern::random_graphs
