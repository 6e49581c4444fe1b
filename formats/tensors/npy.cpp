#include "formats/tensors/npy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "libcore/base/file_kind.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t header_limit = 1 << 20;
constexpr size_t rank_limit = 64;

struct Descr {
    std::string_view text;  // without byte order
    DType dtype;
};
constexpr std::array descrs{
    Descr{"f4", DType::f32}, Descr{"f8", DType::f64},     Descr{"f2", DType::f16}, Descr{"i1", DType::i8},    Descr{"i2", DType::i16},
    Descr{"i4", DType::i32}, Descr{"i8", DType::i64},     Descr{"u1", DType::u8},  Descr{"u2", DType::u16},   Descr{"u4", DType::u32},
    Descr{"u8", DType::u64}, Descr{"b1", DType::boolean}, Descr{"c8", DType::c64}, Descr{"c16", DType::c128}, Descr{"V2", DType::bf16},
};

// The header is a Python dict literal with three known keys; only what NumPy writes is taken.
class HeaderParser {
   public:
    explicit HeaderParser(std::string_view text) : text_(text) {}

    void parse(NpyArray& array) {
        expect('{');
        while (!accept('}')) {
            const std::string_view key = quoted();
            expect(':');
            if (key == "descr")
                set_descr(array);
            else if (key == "fortran_order")
                array.fortran_order = boolean();
            else if (key == "shape")
                array.dims = shape();
            else
                throw bad_input("npy header has an unknown key \"{}\"", escape(key));
            seen_ += std::string(key) + ' ';
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        for (const char* key : {"descr", "fortran_order", "shape"})
            if (seen_.find(key) == std::string::npos) throw bad_input("npy header lacks \"{}\"", key);
    }

   private:
    void skip() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    }
    bool accept(char c) {
        skip();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) throw bad_input("npy header is broken at byte {}: need '{}'", at_, c);
    }
    std::string_view quoted() {
        skip();
        const char quote = at_ < text_.size() ? text_[at_] : 0;
        const size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
        if (end == std::string_view::npos) throw bad_input("npy header is broken at byte {}: need a string", at_);
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return inside;
    }
    bool boolean() {
        skip();
        for (const std::string_view word : {"True", "False"}) {
            if (text_.substr(at_, word.size()) != word) continue;
            at_ += word.size();
            return word == "True";
        }
        throw bad_input("npy header is broken at byte {}: need True or False", at_);
    }
    Dims shape() {
        Dims dims;
        expect('(');
        while (!accept(')')) {
            skip();
            const size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
            const auto dim = parse_int(text_.substr(at_, end - at_));
            if (!dim || dims.size() == rank_limit) throw bad_input("npy header has a bad shape at byte {}", at_);
            dims.push_back(*dim);
            at_ = end;
            if (text_.substr(at_, 1) == "L") ++at_;  // written by Python 2
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return dims;
    }
    void set_descr(NpyArray& array) {
        skip();
        if (at_ < text_.size() && text_[at_] == '[') throw unsupported("npy holds records, need plain numbers");
        const std::string_view descr = quoted();
        const bool ordered = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
        const std::string_view kind = ordered ? descr.substr(1) : descr;
        const auto* row = std::find_if(descrs.begin(), descrs.end(), [&](const Descr& d) { return d.text == kind; });
        if (row == descrs.end())
            throw unsupported("elements are of type \"{}\", which is not read", escape(descr))
                .with_hint("numbers, true and false are: <f4, |u1, |b1 and the like");
        array.dtype = row->dtype;
        array.big_endian = !descr.empty() && descr[0] == '>';
    }

    std::string_view text_;
    size_t at_ = 0;
    std::string seen_;
};

uint32_t little(std::string_view bytes, size_t at, size_t size) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
}

void swap_bytes(std::byte* data, size_t count, size_t width) {
    for (size_t i = 0; i < count; ++i) std::reverse(data + i * width, data + (i + 1) * width);
}

// Elements from column-major to row-major order.
void to_c_order(const std::byte* from, std::byte* to, const Dims& dims, size_t width) {
    const auto count = static_cast<size_t>(count_of(dims));
    std::vector<size_t> index(dims.size(), 0);
    for (size_t i = 0; i < count; ++i) {
        size_t source = 0, stride = 1;
        for (size_t d = 0; d < dims.size(); ++d) {
            source += index[d] * stride;
            stride *= static_cast<size_t>(dims[d]);
        }
        std::memcpy(to + i * width, from + source * width, width);
        for (size_t d = dims.size(); d-- > 0;) {
            if (++index[d] < static_cast<size_t>(dims[d])) break;
            index[d] = 0;
        }
    }
}

}  // namespace

NpyArray parse_npy_header(std::string_view bytes, uint64_t whole) {
    whole = std::max<uint64_t>(whole, bytes.size());
    if (bytes.substr(0, magic.size()) != magic) refuse_other_kind(bytes);
    if (bytes.size() < 10 || bytes.substr(0, magic.size()) != magic) throw bad_input("not an npy array");
    const int major = static_cast<unsigned char>(bytes[6]);
    if (major < 1 || major > 3) throw unsupported("npy version {}", major);
    const size_t length_size = major == 1 ? 2 : 4;
    const size_t start = 8 + length_size;
    if (bytes.size() < start) throw bad_input("npy header is cut short");
    const size_t length = little(bytes, 8, length_size);
    if (length > header_limit || length > bytes.size() - start) throw bad_input("npy header is cut short");
    NpyArray array;
    HeaderParser(bytes.substr(start, length)).parse(array);
    array.header_size = start + length;
    array.data_size = storage_size(array.dtype, static_cast<uint64_t>(count_of(array.dims)));
    if (static_cast<uint64_t>(count_of(array.dims)) > whole || array.data_size > whole - array.header_size)
        throw bad_input("npy array of {}{} needs {} bytes, got {}", name_of(array.dtype), to_string(array.dims), array.data_size,
                        whole - array.header_size);
    return array;
}

Tensor parse_npy(const Bytes& bytes) {
    const NpyArray array = parse_npy_header(bytes.text());
    const size_t extra = bytes.size() - array.header_size - array.data_size;
    if (extra) throw bad_input("npy array of {}{} is followed by {} bytes", name_of(array.dtype), to_string(array.dims), extra);
    return npy_tensor(array, bytes.slice(array.header_size, array.data_size));
}

Tensor npy_tensor(const NpyArray& array, const Bytes& data) {
    const bool aligned = reinterpret_cast<uintptr_t>(data.data()) % 16 == 0;
    const bool reorder = array.fortran_order && array.dims.size() > 1;
    if (aligned && !reorder && !array.big_endian) return {array.dtype, array.dims, data};
    const auto width = static_cast<size_t>(bits_of(array.dtype) / 8);
    const bool complex = kind_of(array.dtype) == NumberKind::complex;
    MutableBytes out(data.size());
    if (reorder)
        to_c_order(data.data(), out.data(), array.dims, width);
    else if (data.size())
        std::memcpy(out.data(), data.data(), data.size());
    if (array.big_endian) swap_bytes(out.data(), data.size() / (complex ? width / 2 : width), complex ? width / 2 : width);
    return {array.dtype, array.dims, std::move(out).freeze()};
}

std::string npy_header(DType dtype, const Dims& dims) {
    const auto* row = std::find_if(descrs.begin(), descrs.end(), [&](const Descr& d) { return d.dtype == dtype; });
    std::string descr;
    if (row != descrs.end())
        descr = fmt::format("{}{}", bits_of(dtype) == 8 || row->text[0] == 'V' ? '|' : '<', row->text);
    else if (bits_of(dtype) == 8 && is_float(dtype))
        descr = "|V1";
    else
        throw unsupported("{} has no npy form", name_of(dtype));
    std::string shape;
    for (const int64_t dim : dims) shape += fmt::format("{}{}", shape.empty() ? "" : " ", dim) + ",";
    if (dims.size() > 1) shape.pop_back();
    std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
    dict.append(63 - (magic.size() + 4 + dict.size()) % 64, ' ');
    dict += '\n';
    std::string header(magic);
    header += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
    return header + dict;
}

}  // namespace quern
