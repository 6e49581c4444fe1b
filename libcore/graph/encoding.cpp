#include "libcore/graph/encoding.h"

#include <fmt/format.h>

#include "libcore/blocks/block_format.h"

namespace quern {

bool Encoding::symmetric() const {
    if (!zero.defined()) return true;
    const auto codes = to_ints(zero);
    return std::all_of(codes.begin(), codes.end(), [](int64_t code) { return code == 0; });
}

int64_t Encoding::zero_at(size_t i) const { return zero.defined() ? to_ints(zero).at(i) : 0; }

std::vector<int64_t> Encoding::zeros() const {
    return zero.defined() ? to_ints(zero) : std::vector<int64_t>(static_cast<size_t>(scale.count()), 0);
}

Encoding Encoding::with_limits(int64_t low, int64_t high) const {
    Encoding limited = *this;
    limited.qmin = low;
    limited.qmax = high;
    return limited;
}

bool operator==(const Encoding& a, const Encoding& b) {
    return a.kind == b.kind && a.storage == b.storage && a.real == b.real && a.qmin == b.qmin && a.qmax == b.qmax && a.axis == b.axis &&
           a.block == b.block && a.format == b.format && identical(a.scale, b.scale) && identical(a.zero, b.zero) &&
           identical(a.min, b.min);
}

Encoding make_encoding(DType storage, Tensor scale, Tensor zero, int axis, bool symmetric) {
    Encoding e;
    e.storage = storage;
    if (is_integer(storage)) {
        const auto [min, max] = int_range(storage);
        e.qmin = symmetric && min < 0 ? -max : min;
        e.qmax = max;
    }
    e.axis = axis;
    e.scale = std::move(scale);
    e.zero = std::move(zero);
    return e;
}

std::string to_string(const Encoding& e) {
    std::string out(name_of(e.storage));
    if (e.is_dynamic()) return out + " dynamic";
    if (e.format) return std::string(e.format->name);
    if (e.block > 0) return out + fmt::format("[axis {}, blocks of {}, {} scales]", e.axis, e.block, e.scale.count());
    if (!e.per_tensor()) return out + fmt::format("[axis {}, {} scales]", e.axis, e.scale.count());
    out += fmt::format(" scale {}", to_floats(e.scale).at(0));
    if (e.zero.defined()) out += fmt::format(" zero {}", to_ints(e.zero).at(0));
    return out;
}

}  // namespace quern
