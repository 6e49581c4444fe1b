// Source: the parts of a C file that a generated model is made of - kernels (each once per element types), constant tables, names that
// no model can break out of.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern::cgen {

// A kernel as C source, or types, functions and macros that several take. `@name@` in the text is the function's name, other `@words@` are
// replaced as the caller says; pieces without them come with every text that has a name which they define.
struct Piece {
    std::string_view name, text;
};

using Words = std::vector<std::pair<std::string_view, std::string>>;

// Each @word@ as `words` say, also in what they say.
std::string replaced(std::string_view text, const Words& words);

bool is_short_float(DType dtype);  // float16 and bfloat16: uint16_t in C
// The C type of an element; throws Exit::unsupported for those without one.
std::string_view c_type(DType dtype);
// int8_t: "i8", float: "f32".
std::string_view short_name(std::string_view c_type);

// Letters, digits and underscores of a name, never empty, never with a digit or an underscore first.
std::string slug(std::string_view name, size_t limit = 32);
// The same of the last parts of a path, as many as 24 hold: "activation_5_relu" of "functional_1/activation_5/Relu;functional_1/...".
std::string slug_of_end(std::string_view name);
// A name as the inside of a comment: printable ASCII that ends no comment and starts no trigraph, at most `limit` characters.
std::string comment_text(std::string_view name, size_t limit = 80);
// A float as a C constant that reads back as the same number.
std::string c_float(float value);
std::string c_double(double value);

class Source {
   public:
    explicit Source(bool dots = false) : dots_(dots) {}
    // The function's name, its text added when it is met first. `variant` goes into the name.
    std::string kernel(std::string_view piece, const Words& words = {}, std::string_view variant = {});
    // `static const T name[] = {...}`; equal tensors share one. Codes below 8 bits become int8 or uint8.
    std::string constant(const Tensor& tensor, std::string_view label);
    template <class T>
    std::string numbers(std::span<const T> items, std::string_view label) {
        return constant(Tensor::vector(items), label);
    }
    // The same of constant expressions, `bytes` each.
    std::string list(std::string_view type, const std::vector<std::string>& items, size_t bytes, std::string_view label);
    // `static const TYPE name = {FIELDS};`; equal ones share one.
    std::string structure(std::string_view type, std::string_view fields, std::string_view label);
    // `&name` of a struct of int32_t that a piece of its own, TYPE, defines.
    std::string parameters(std::string_view type, std::span<const int32_t> numbers, std::string_view label) {
        return "&" + structure(type, fields(type, numbers), label);
    }
    template <class T>
    std::string parameters(std::string_view type, const T& value, std::string_view label) {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(int32_t) == 0);
        return parameters(type, std::span(reinterpret_cast<const int32_t*>(&value), sizeof(T) / sizeof(int32_t)), label);
    }

    bool uses_libm() const { return libm_; }
    bool uses_memory() const { return memory_; }  // memcpy, memset
    std::string kernels() const;
    std::string constants() const;
    size_t constant_bytes() const { return constant_bytes_; }
    bool takes_dots() const { return dots_; }  // products of codes by dot products (dots.h)
    void count_dots() { ++dot_products_; }
    size_t dot_products() const { return dot_products_; }
    void need_memory() { memory_ = true; }
    void need_libm() { libm_ = true; }

   private:
    std::string fresh(std::string_view label);
    // ".a = 1, .b = 2", named as the piece has them.
    std::string fields(std::string_view type, std::span<const int32_t> numbers);
    std::map<std::string, Words> kernel_words_;  // by the name of the kernel
    std::vector<std::string> kernels_, constants_;
    std::map<std::string, std::string> by_text_;
    std::map<std::string, int> labels_;
    size_t constant_bytes_ = 0, dot_products_ = 0;
    bool dots_, libm_ = false, memory_ = false;
};

std::span<const Piece> all_pieces();  // libcore/ops/portable, libcore/integer and codegen/c/kernels, by cmake/texts.cmake

}  // namespace quern::cgen
