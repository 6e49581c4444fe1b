#include "libcore/quant/encodings/encodings_qnn.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/quant/types/two_level.h"

namespace quern {
namespace {

// Fixed-point types of QNN: kind 3 is signed and kind 4 unsigned, the last two hexadecimal digits are the bits in decimal.
struct DataType {
    int64_t number;
    DType storage;
};
constexpr std::array data_types{DataType{0x304, DType::i4},  DataType{0x308, DType::i8}, DataType{0x316, DType::i16},
                                DataType{0x332, DType::i32}, DataType{0x404, DType::u4}, DataType{0x408, DType::u8},
                                DataType{0x416, DType::u16}, DataType{0x432, DType::u32}};

bool in_wider(DType storage) { return storage == DType::i2 || storage == DType::u2; }

std::string pair_text(const EncodingEntry& entry, size_t i) {
    return fmt::format("{{\"offset\":{},\"scale\":{}}}", -entry.zero.at(i), json_number(entry.scale.at(i)));
}

std::string pairs_text(const EncodingEntry& entry) {
    std::vector<std::string> pairs;
    for (size_t i = 0; i < entry.scale.size(); ++i) pairs.push_back(pair_text(entry, i));
    return join(pairs, ",");
}

std::string one_text(const EncodingEntry& entry) {
    if (!in_wider(entry.encoding.storage)) return fmt::format("{},\"scale_offset\":{}", qnn::one_scale, pair_text(entry, 0));
    return fmt::format("{},\"bw_scale_offset\":{{\"bitwidth\":{},\"offset\":{},\"scale\":{}}}", qnn::one_of_bits, entry.bits(),
                       -entry.zero.at(0), json_number(entry.scale.at(0)));
}

std::string channels_text(const EncodingEntry& entry) {
    const int axis = entry.encoding.axis;
    if (!in_wider(entry.encoding.storage))
        return fmt::format("{},\"axis_scale_offset\":{{\"axis\":{},\"num_scale_offsets\":{},\"scale_offsets\":[{}]}}", qnn::channels, axis,
                           entry.scale.size(), pairs_text(entry));
    std::vector<int64_t> offsets;
    for (const int64_t zero : entry.zero) offsets.push_back(-zero);
    return fmt::format("{},\"bw_axis_scale_offset\":{{\"axis\":{},\"bitwidth\":{},\"num_elements\":{},\"offsets\":[{}],\"scales\":{}}}",
                       qnn::channels_of_bits, axis, entry.bits(), entry.scale.size(), fmt::join(offsets, ","), json_numbers(entry.scale));
}

// Integers a block, channel by channel, and a scale a channel; of matrices, whose channels lie along the other dim.
std::string two_level_text(const EncodingEntry& entry, const TwoLevel& levels) {
    const size_t channels = levels.channels.size(), count = levels.integers.size() / channels;
    std::vector<int64_t> integers;
    for (size_t c = 0; c < channels; ++c)
        for (size_t b = 0; b < count; ++b) integers.push_back(levels.integers[entry.encoding.axis == 1 ? c * count + b : b * channels + c]);
    std::vector<std::string> pairs;
    for (const float scale : levels.channels) pairs.push_back(fmt::format("{{\"offset\":0,\"scale\":{}}}", json_number(scale)));
    return fmt::format(
        "{},\"blockwise_expansion\":{{\"axis\":{},\"block_scale_bitwidth\":4,\"block_scales\":[{}],\"num_blocks_per_axis\":{},"
        "\"scale_offsets\":[{}]}}",
        qnn::expanded_blocks, 1 - entry.encoding.axis, fmt::join(integers, ","), count, join(pairs, ","));
}

// The size of a block is not said by expansions, but follows where all blocks are whole.
std::optional<TwoLevel> said_as_two_levels(const EncodingEntry& entry) {
    const Encoding& e = entry.encoding;
    if (entry.dims.size() != 2 || entry.dims[static_cast<size_t>(e.axis)] % e.block != 0 || entry.dims[0] < 2 || entry.dims[1] < 2)
        return std::nullopt;
    return two_level_of(e, entry.scale);
}

std::string blocks_text(const EncodingEntry& entry) {
    if (const auto levels = said_as_two_levels(entry)) return two_level_text(entry, *levels);
    std::vector<int64_t> sizes(entry.dims.size(), 1);
    sizes.at(static_cast<size_t>(entry.encoding.axis)) = entry.encoding.block;
    return fmt::format("{},\"block\":{{\"block_size\":[{}],\"scale_offsets\":[{}]}}", qnn::blocks, fmt::join(sizes, ","),
                       pairs_text(entry));
}

// Dims are the model's, which is what the file says.
std::string tensor_text(const EncodingEntry& entry) {
    const Encoding& e = entry.encoding;
    std::string layout;
    if (!e.per_tensor()) {
        std::vector<size_t> order(entry.dims.size());
        std::iota(order.begin(), order.end(), size_t{0});
        layout = fmt::format("\"dims\":[{}],\"permute_order_to_src\":[{}],", fmt::join(entry.dims, ","), fmt::join(order, ","));
    }
    return fmt::format("{}:{{\"data_type\":{},{}\"quant_params\":{{\"definition\":{},\"encoding\":{}}}}}", json_text(entry.key),
                       *qnn::data_type_of(e.storage), layout, qnn::is_defined,
                       e.block > 0      ? blocks_text(entry)
                       : e.per_tensor() ? one_text(entry)
                                        : channels_text(entry));
}

}  // namespace

std::optional<DType> qnn::storage_of(int64_t data_type) {
    const auto found = std::ranges::find(data_types, data_type, &DataType::number);
    return found == data_types.end() ? std::nullopt : std::optional(found->storage);
}

std::optional<DType> qnn::codes_of(int64_t bits, bool signed_codes) {
    if (bits == 2) return signed_codes ? DType::i2 : DType::u2;
    for (const DataType& type : data_types)
        if (bits_of(type.storage) == bits && (kind_of(type.storage) == NumberKind::signed_int) == signed_codes) return type.storage;
    return std::nullopt;
}

std::optional<int64_t> qnn::data_type_of(DType storage) {
    if (storage == DType::i2) storage = DType::i8;
    if (storage == DType::u2) storage = DType::u8;
    const auto found = std::ranges::find(data_types, storage, &DataType::storage);
    return found == data_types.end() ? std::nullopt : std::optional(found->number);
}

bool implied_by_qnn(const EncodingEntry&) { return false; }

std::string unsaid_by_qnn(const EncodingEntry& entry) {
    const Encoding& e = entry.encoding;
    if (!qnn::data_type_of(e.storage))
        return is_integer(e.storage) ? fmt::format("codes of {}", name_of(e.storage)) : std::string(name_of(e.storage));
    if (e.block > 0 && (in_wider(e.storage) || entry.dims.empty())) return fmt::format("blocks of {}", name_of(e.storage));
    return e.min.defined() ? "a minimum for each block" : "";
}

void put_qnn_graph(const std::vector<EncodingEntry>& entries, const EncodingsForm::Sink& to) {
    to("{\"graph\":{\"nodes\":{},\"tensors\":{");
    for (size_t n = 0; n < entries.size(); ++n) to((n ? ",\n" : "\n") + tensor_text(entries[n].filled()));
    to(entries.empty() ? "}}}\n" : "\n}}}\n");
}

}  // namespace quern
