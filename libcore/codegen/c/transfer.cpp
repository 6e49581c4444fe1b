// The same elements held in another way: as numbers, as codes, or as codes of another encoding.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libcore/codegen/c/emit.h"

namespace quern::cgen {
namespace {

void check(const Encoding& e, const std::string& what) {
    if (!e.per_tensor() || e.min.defined() || !is_integer(e.storage)) throw unsupported("{} is {}", what, to_string(e));
}

void copy(Function& f, const std::string& from, const Held& to, int64_t count) {
    if (count == 1) return f.statement(fmt::format("{}[0] = {}[0];", to.at, from));
    f.source().need_memory();
    f.statement(fmt::format("memcpy({}, {}, {});", to.at, from, storage_size(to.type, static_cast<uint64_t>(count))));
}

}  // namespace

// Codes of more than 16 bits do not survive a change to float and back.
bool Held::like(const Held& other) const {
    if (type != other.type || !encoding != !other.encoding) return false;
    return !encoding || (!dynamic() && *encoding == *other.encoding && encoding->per_tensor() && bits_of(type) <= 16);
}

void decode(Function& f, const Held& from, const std::string& to, int64_t count, const std::string& what) {
    const Encoding& e = *from.encoding;
    check(e, what);
    const auto [scale, zero] = from.dynamic() ? from.grid : std::pair(c_float(Grid(e).scale), text_of(Grid(e).zero));
    const std::string kernel = f.source().kernel("dequantize", {{"A", std::string(c_type(from.type))}});
    f.statement(fmt::format("{}({}, {}, {}, {}, {});", kernel, from.at, to, count, scale, zero));
}

void encode(Function& f, const std::string& from, const Held& to, int64_t count, const std::string& what) {
    const Encoding& e = *to.encoding;
    check(e, what);
    const Words words{{"Y", std::string(c_type(to.type))}};
    if (to.dynamic()) {
        const std::string kernel = f.source().kernel("quantize_dynamic", words);
        f.statement(
            fmt::format("{}({}, {}, {}, {}, {}, &{}, &{});", kernel, from, to.at, count, e.qmin, e.qmax, to.grid.first, to.grid.second));
    } else {
        const Grid grid(e);
        f.statement(fmt::format("{}({}, {}, {}, {}, {}, {}, {});", f.source().kernel("quantize", words), from, to.at, count,
                                c_float(grid.scale), grid.zero, e.qmin, e.qmax));
    }
}

void transfer(Function& f, const Held& from, const Held& to, int64_t count, const std::string& what) {
    if (from.at == to.at || count == 0) return;
    if (from.like(to)) return copy(f, from.at, to, count);
    const DType a = from.encoding ? DType::f32 : from.type, b = to.encoding ? DType::f32 : to.type;
    if (a != b) throw unsupported("{} is {} and becomes {}", what, name_of(a), name_of(b));
    if (!from.encoding) return encode(f, from.at, to, count, what);
    if (!to.encoding) return decode(f, from, to.at, count, what);
    const std::string numbers = f.scratch(DType::f32, count);
    decode(f, from, numbers, count, what);
    encode(f, numbers, to, count, what);
}

}  // namespace quern::cgen
