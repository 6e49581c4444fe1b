// Concat of codes as they lie: with their channels last where an operand has them there. Operands of other encodings than the result's go
// by a table of their 256 codes.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/recode_table.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::codes {
namespace {

constexpr int64_t grain = 1 << 15;  // bytes that are worth a task

class ConcatKernel : public Kernel {
   public:
    explicit ConcatKernel(const Site& site) : axis_(NodeView(site.first()).integer("axis")), storage_(site.result->storage) {
        for (const ValueId id : site.first().in) {
            const Encoding& own = *site.value(id).enc;
            tables_.push_back(own == *site.result ? RecodeTable() : recode_table(own, *site.result));
        }
    }
    std::string name() const override { return "codes concat"; }

    void run(KernelCtx& ctx) override {
        bool moved = false;
        for (size_t i = 0; i < tables_.size(); ++i) moved = moved || is_moved(ctx, i);
        std::vector<CodesIn> parts;
        for (size_t i = 0; i < tables_.size(); ++i) parts.push_back(codes_in(ctx, i, moved));
        const size_t axis = normal_axis(axis_, parts[0].dims.size());
        const Dims dims = joined_dims(parts, axis);
        const Buffer out = take_codes(ctx, dims, storage_);
        // Of what lies in memory.
        const Dims lying = moved ? to_channels_last(dims) : dims;
        const size_t at = !moved || axis == 0 ? axis : axis == 1 ? dims.size() - 1 : axis - 1;
        const int64_t inner = count_of(std::span(lying).subspan(at + 1)), outer = count_of(std::span(lying).first(at)),
                      all = count_of(dims);
        auto* y = reinterpret_cast<uint8_t*>(out.data.get());
        const int64_t row = inner * lying[at];
        for (int64_t part = 0; part < bits_of(storage_) / 8; ++part) {
            const auto copy = [&](size_t begin, size_t end) {
                uint8_t* to = y + part * all + static_cast<int64_t>(begin) * row;
                for (size_t i = 0; i < parts.size(); ++i) {
                    const CodesIn& x = parts[i];
                    const int64_t width = inner * x.dims[axis];
                    const uint8_t* from = x.data + part * count_of(x.dims) + static_cast<int64_t>(begin) * width;
                    for (size_t o = begin; o < end; ++o, from += width)
                        copy_codes(from, to + static_cast<int64_t>(o - begin) * row, width, tables_[i]);
                    to += width;
                }
            };
            ctx.pool().run_ranges(static_cast<size_t>(outer), static_cast<size_t>(grain / std::max<int64_t>(row, 1) + 1), copy);
        }
        give_codes(ctx, dims, storage_, moved, out);
    }

   private:
    static Dims joined_dims(std::span<const CodesIn> parts, size_t axis) {
        Dims dims = parts[0].dims;
        dims[axis] = 0;
        for (size_t i = 0; i < parts.size(); ++i) {
            Dims others = parts[i].dims;
            if (others.size() == dims.size()) others[axis] = dims[axis];
            if (others != dims)
                throw bad_input("input {} is {}, which does not fit {}", i, to_string(parts[i].dims), to_string(parts[0].dims));
            dims[axis] += parts[i].dims[axis];
        }
        return dims;
    }

    int64_t axis_;
    DType storage_;
    std::vector<RecodeTable> tables_;
};

std::string_view obstacle(const Site& site) {
    const int bits = code_bits(site.result);
    for (const ValueId id : site.first().in) {
        const Value& value = site.value(id);
        const bool alike = value.enc && site.result && *value.enc == *site.result;
        if (bits == 0 || code_bits(value.enc) != bits || (bits > 8 && !alike))
            return "its operands are not 8-bit codes, or 16-bit ones of one encoding";
        if (!value.type.shape.ranked || value.type.shape.rank() == 0) return "its rank is unknown or 0";
    }
    return site.arithmetic && !computes_as_onnx(site) ? "has other arithmetic than profile onnx" : "";
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<ConcatKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Concat, .make = make}};

}  // namespace

std::span<const KernelRow> concat_rows() { return rows; }

}  // namespace quern::codes
