// Codes between kernels on codes: unsigned numbers (those of a signed storage with half their range added) with their channels last,
// [N, spatial..., C]. Of 16-bit codes all low bytes lie before all high bytes.
#pragma once

#include "libcore/kernels/kernel.h"

namespace quern::codes {

class PackedCodes : public Packed {
   public:
    // `dims` as the graph has them; `moved`: with channels behind N, which the buffer has last.
    PackedCodes(Dims dims, DType storage, bool moved, Buffer buffer)
        : dims_(std::move(dims)), storage_(storage), moved_(moved), buffer_(std::move(buffer)) {}
    Tensor plain(Memory& memory, ThreadPool& pool) const override;
    const Dims& dims() const override { return dims_; }
    Tensor elements(Memory&) const override { return {}; }
    Buffer channels_last(Memory& memory, ThreadPool& pool) const override;
    std::shared_ptr<const Packed> looked_up(const CodeTable& table, Memory& memory, ThreadPool& pool) const override;
    bool holds_codes() const override { return true; }

    bool moved() const { return moved_; }
    const Buffer& buffer() const { return buffer_; }

   private:
    Dims dims_;
    DType storage_;
    bool moved_;
    Buffer buffer_;
};

// Input i as a kernel reads it; its bytes are those of a PackedCodes, parts of 16-bit codes count_of(dims) apart. `moved` as there: the
// kernel needs the channels of dims [N, C, spatial...] last.
struct CodesIn {
    const Dims& dims;  // as the graph has them; of the step's input
    std::shared_ptr<const void> owner;
    const uint8_t* data;
};
// Of input i, however it is there.
Dims dims_of(KernelCtx& ctx, size_t i);
// Is input i there with its channels last, though the graph has them first?
bool is_moved(KernelCtx& ctx, size_t i);

// Memory for codes of a result like that.
Buffer take_codes(KernelCtx& ctx, const Dims& dims, DType storage);
CodesIn codes_in(KernelCtx& ctx, size_t i, bool moved);
// 16-bit codes as one number each.
struct WordsIn {
    Dims dims;
    std::shared_ptr<const void> owner;
    const uint16_t* data;
};
WordsIn words_in(KernelCtx& ctx, size_t i, bool moved);

// Gives bytes like that as the output, of dims `dims` in the graph.
void give_codes(KernelCtx& ctx, Dims dims, DType storage, bool moved, Buffer buffer);
void give_words(KernelCtx& ctx, Dims dims, DType storage, bool moved, const Buffer& words);

// The same by their type.
template <class Code>
auto coded_in(KernelCtx& ctx, size_t i, bool moved) {
    if constexpr (sizeof(Code) == 1)
        return codes_in(ctx, i, moved);
    else
        return words_in(ctx, i, moved);
}
template <class Code>
void give_coded(KernelCtx& ctx, Dims dims, DType storage, bool moved, const Buffer& codes) {
    if constexpr (sizeof(Code) == 1)
        give_codes(ctx, std::move(dims), storage, moved, codes);
    else
        give_words(ctx, std::move(dims), storage, moved, codes);
}

}  // namespace quern::codes
