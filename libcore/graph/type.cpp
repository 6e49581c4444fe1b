#include "libcore/graph/type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {

Dim negative_dim(int64_t number) { return Dim::named(fmt::format("={}", number)); }

std::optional<int64_t> negative_number(const Dim& dim) {
    if (!dim.symbol.starts_with("=-")) return std::nullopt;
    const auto number = parse_int(std::string_view(dim.symbol).substr(1));
    return number ? std::optional<int64_t>(*number) : std::nullopt;
}

bool same(const Dim& a, const Dim& b) { return a == b && (a.known() || !a.symbol.empty()); }

Shape Shape::of(std::span<const int64_t> dims) {
    Shape shape{true, {}};
    for (const int64_t dim : dims) shape.dims.push_back(Dim::of(dim));
    return shape;
}

bool Shape::fixed() const {
    return ranked && std::all_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.known(); });
}

std::optional<Dims> Shape::concrete() const {
    if (!fixed()) return std::nullopt;
    Dims out;
    for (const Dim& dim : dims) out.push_back(dim.value);
    return out;
}

bool Type::operator==(const Type& other) const {
    if (kind != other.kind) return false;
    if (kind == Kind::tensor) return dtype == other.dtype && shape == other.shape;
    if (!element || !other.element) return element == other.element;
    return *element == *other.element;
}

std::string to_string(const Dim& dim) {
    if (dim.known()) return fmt::format("{}", dim.value);
    return dim.symbol.empty() ? "?" : dim.symbol;
}

std::string to_string(const Shape& shape) {
    if (!shape.ranked) return "[*]";
    std::string out = "[";
    for (size_t i = 0; i < shape.dims.size(); ++i) out += (i ? "," : "") + to_string(shape.dims[i]);
    return out + "]";
}

std::string to_string(const Type& type) {
    if (type.kind == Type::Kind::tensor) return std::string(name_of(type.dtype)) + to_string(type.shape);
    const std::string inner = type.element ? to_string(*type.element) : "none";
    return (type.kind == Type::Kind::sequence ? "sequence<" : "optional<") + inner + ">";
}

std::string to_string(std::span<const int64_t> dims) { return fmt::format("[{}]", fmt::join(dims, ",")); }

int64_t count_of(std::span<const int64_t> dims) {
    int64_t count = 1;
    bool zero = false;
    for (const int64_t dim : dims) {
        if (dim < 0) throw bad_input("shape {} has a negative dimension", to_string(dims));
        zero |= dim == 0;
        if (dim != 0 && __builtin_mul_overflow(count, dim, &count))
            throw bad_input("shape {} has more than 2^63 elements", to_string(dims));
    }
    return zero ? 0 : count;
}

Dims broadcast(std::span<const int64_t> a, std::span<const int64_t> b) {
    Dims out(std::max(a.size(), b.size()));
    for (size_t i = 0; i < out.size(); ++i) {
        const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1) throw bad_input("shapes {} and {} do not broadcast", to_string(a), to_string(b));
        out[out.size() - 1 - i] = x == 1 ? y : x;
    }
    return out;
}

Shape broadcast(const Shape& a, const Shape& b) {
    if (!a.ranked || !b.ranked) return {};
    Shape out = Shape::of_rank(std::max(a.rank(), b.rank()));
    const Dim one = Dim::of(1);
    for (size_t i = 0; i < out.rank(); ++i) {
        const Dim& x = i < a.rank() ? a.dims[a.rank() - 1 - i] : one;
        const Dim& y = i < b.rank() ? b.dims[b.rank() - 1 - i] : one;
        Dim& dim = out.dims[out.rank() - 1 - i];
        if (x.known() && y.known() && x.value != y.value && x.value != 1 && y.value != 1)
            throw bad_input("shapes {} and {} do not broadcast", to_string(a), to_string(b));
        if (x == one || same(x, y))
            dim = y;
        else if (y == one)
            dim = x;
        else if (x.known() || y.known())
            dim = x.known() ? x : y;  // a number above 1 against a symbol: the symbol is 1 or that number
    }
    return out;
}

size_t normal_axis(int64_t axis, size_t rank, std::string_view what) {
    const auto r = static_cast<int64_t>(rank);
    if (axis < -r || axis >= r) throw bad_input("{} is {}, need one in [{}, {})", what, axis, -r, r);
    return static_cast<size_t>(axis < 0 ? axis + r : axis);
}

}  // namespace quern
