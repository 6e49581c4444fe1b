#include "formats/torch/file/stored.h"

#include <array>
#include <cstring>

namespace quern::torch_format {
namespace {

// One past the last element that is read, counted from the storage's beginning; overflow is an error.
uint64_t reach(const StoredTensor& stored) {
    uint64_t last = 0;
    bool over = stored.offset < 0 || __builtin_add_overflow(last, static_cast<uint64_t>(stored.offset), &last);
    for (size_t i = 0; i < stored.sizes.size(); ++i) {
        if (stored.strides[i] < 0) throw bad_input("stride {} of a tensor", stored.strides[i]);
        uint64_t step = 0;
        over |= __builtin_mul_overflow(static_cast<uint64_t>(stored.sizes[i] - 1), static_cast<uint64_t>(stored.strides[i]), &step);
        over |= __builtin_add_overflow(last, step, &last);
    }
    if (over)
        throw bad_input("a tensor of sizes {} and strides {} lies beyond any storage", to_string(stored.sizes), to_string(stored.strides));
    return last + 1;
}

bool dense(const StoredTensor& stored) {
    int64_t want = 1;
    for (size_t i = stored.sizes.size(); i-- > 0;) {
        if (stored.sizes[i] != 1 && stored.strides[i] != want) return false;
        want *= stored.sizes[i];
    }
    return true;
}

void gather(const StoredTensor& stored, size_t width, std::byte* to) {
    const std::byte* from = stored.storage.data() + static_cast<size_t>(stored.offset) * width;
    const size_t rank = stored.sizes.size(), last = rank - 1;  // of rank 0 is dense
    const auto inner = static_cast<size_t>(stored.sizes[last]), step = static_cast<size_t>(stored.strides[last]) * width;
    Dims index(rank, 0);
    for (;;) {
        size_t at = 0;
        for (size_t i = 0; i < last; ++i) at += static_cast<size_t>(index[i] * stored.strides[i]) * width;
        for (size_t i = 0; i < inner; ++i, to += width) std::memcpy(to, from + at + i * step, width);
        size_t axis = last;
        while (axis > 0 && ++index[axis - 1] == stored.sizes[axis - 1]) index[--axis] = 0;
        if (axis == 0) return;
    }
}

}  // namespace

uint64_t checked_size(const StoredTensor& stored, uint64_t most) {
    if (stored.sizes.size() != stored.strides.size())
        throw bad_input("a tensor of {} sizes and {} strides", stored.sizes.size(), stored.strides.size());
    const auto count = static_cast<uint64_t>(count_of(stored.sizes));
    if (count == 0) return 0;
    const auto width = static_cast<size_t>(bits_of(stored.dtype)) / 8;
    const uint64_t held = stored.storage.size() / width;
    if (const uint64_t end = reach(stored); end > held)
        throw bad_input("a tensor {} of {} reads element {} of a storage of {} bytes", to_string(stored.sizes), name_of(stored.dtype),
                        end - 1, stored.storage.size());
    if (!dense(stored) && count > held && count * width > most)
        throw unsupported("a tensor {} repeats a storage of {} bytes", to_string(stored.sizes), stored.storage.size());
    return count * width;
}

Tensor tensor_of(const StoredTensor& stored, uint64_t most) {
    const uint64_t size = checked_size(stored, most);
    if (size == 0) return {stored.dtype, stored.sizes, {}};
    const auto width = static_cast<size_t>(bits_of(stored.dtype)) / 8;
    if (dense(stored)) return aligned({stored.dtype, stored.sizes, stored.storage.slice(static_cast<size_t>(stored.offset) * width, size)});
    MutableBytes bytes(size);
    gather(stored, width, bytes.data());
    return {stored.dtype, stored.sizes, std::move(bytes).freeze()};
}

DType dtype_of_code(int64_t code) {
    struct Row {
        int64_t code;
        DType dtype;
    };
    constexpr std::array rows{Row{1, DType::u8},       Row{2, DType::i8},          Row{3, DType::i16},         Row{4, DType::i32},
                              Row{5, DType::i64},      Row{6, DType::f16},         Row{7, DType::f32},         Row{8, DType::f64},
                              Row{12, DType::boolean}, Row{13, DType::bf16},       Row{28, DType::u16},        Row{29, DType::f8e4m3fn},
                              Row{30, DType::f8e5m2},  Row{31, DType::f8e4m3fnuz}, Row{32, DType::f8e5m2fnuz}, Row{34, DType::u32},
                              Row{35, DType::u64}};
    for (const Row& row : rows)
        if (row.code == code) return row.dtype;
    throw unsupported("element type number {} of PyTorch", code);
}

}  // namespace quern::torch_format
