// Logical types: element type and shape, dimensions fixed or symbolic; sequences and optionals of one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/dtype.h"

namespace quern {

using Dims = std::vector<int64_t>;  // the concrete shape of a tensor at run time

// A dimension: a number, a symbol ("batch"), or unknown (no number, empty symbol; printed "?").
struct Dim {
    int64_t value = -1;
    std::string symbol;

    static Dim of(int64_t value) { return {value, {}}; }
    static Dim named(std::string symbol) { return {-1, std::move(symbol)}; }
    static Dim unknown() { return {}; }
    bool known() const { return value >= 0; }
    bool operator==(const Dim&) const = default;  // two unknown dims compare equal: ask same() for a promise
};

// In shape arithmetic a tensor's elements are dims, and some are negative (the -1 of a reshape): those travel as a symbol.
Dim negative_dim(int64_t number);
std::optional<int64_t> negative_number(const Dim& dim);  // nullopt: not such a dim

// True if both are certainly the same length: equal numbers or equal non-empty symbols.
bool same(const Dim& a, const Dim& b);

struct Shape {
    bool ranked = false;
    std::vector<Dim> dims;

    static Shape unranked() { return {}; }
    static Shape of(std::span<const int64_t> dims);
    static Shape of_dims(std::vector<Dim> dims) { return {true, std::move(dims)}; }
    static Shape of_rank(size_t rank) { return {true, std::vector<Dim>(rank)}; }
    size_t rank() const { return dims.size(); }
    bool fixed() const;  // ranked and every dim known
    std::optional<Dims> concrete() const;
    bool operator==(const Shape&) const = default;
};

struct Type {
    enum class Kind : uint8_t { tensor, sequence, optional };
    Kind kind = Kind::tensor;
    DType dtype = DType::none;  // none: not known yet
    Shape shape;
    std::shared_ptr<const Type> element;  // of a sequence or optional

    static Type tensor(DType dtype, Shape shape = {}) { return {Kind::tensor, dtype, std::move(shape), nullptr}; }
    bool operator==(const Type& other) const;
};

std::string to_string(const Dim& dim);
std::string to_string(const Shape& shape);  // "[1,3,?,batch]", "[*]" when unranked
std::string to_string(const Type& type);    // "float32[1,3,?,batch]"
std::string to_string(std::span<const int64_t> dims);

// Number of elements; throws Exit::bad_input on overflow or a negative dim.
int64_t count_of(std::span<const int64_t> dims);

// NumPy broadcasting of concrete and symbolic shapes. Incompatible known dims throw Exit::bad_input.
Dims broadcast(std::span<const int64_t> a, std::span<const int64_t> b);
Shape broadcast(const Shape& a, const Shape& b);

// An axis in [-rank, rank) made non-negative; throws Exit::bad_input naming `what`.
size_t normal_axis(int64_t axis, size_t rank, std::string_view what = "axis");

}  // namespace quern
