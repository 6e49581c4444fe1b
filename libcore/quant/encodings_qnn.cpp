#include <algorithm>
#include <array>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/quant/encodings_form.h"

namespace quern {
namespace {

constexpr int64_t is_defined = 1;     // "definition"
constexpr int64_t one_scale = 0;      // "encoding": SCALE_OFFSET
constexpr int64_t most_encoding = 5;  // BLOCKWISE_EXPANSION
constexpr int64_t undefined = 0x7fffffff;

// Fixed-point types of QNN: kind 3 is signed and kind 4 unsigned, the last two hexadecimal digits are the bits in decimal.
struct DataType {
    int64_t number;
    DType storage;
};
constexpr std::array data_types{DataType{0x304, DType::i4},  DataType{0x308, DType::i8}, DataType{0x316, DType::i16},
                                DataType{0x332, DType::i32}, DataType{0x404, DType::u4}, DataType{0x408, DType::u8},
                                DataType{0x416, DType::u16}, DataType{0x432, DType::u32}};

// nullopt: other numbers.
std::optional<DType> storage_of(const JsonView& json) {
    const auto found = std::ranges::find(data_types, json.integer(), &DataType::number);
    return found == data_types.end() ? std::nullopt : std::optional(found->storage);
}

// Codes are stored as `storage` says, and real = scale * (code + offset).
Override value_of(const JsonView& params, DType storage) {
    const JsonView one = params["scale_offset"], offset = one["offset"];
    Override out{.storage = storage};
    out.scale.push_back(scale_at(one["scale"]));
    out.zero.push_back(-whole_at(offset));
    check_zero(offset, storage, out.zero.back());
    return out;
}

}  // namespace

bool is_qnn_graph(const JsonView& json) {
    return json.json().is_object() && json.has("graph") && json["graph"].json().is_object() && json["graph"].has("tensors");
}

Overrides parse_qnn_graph(const JsonView& json) {
    Overrides out;
    std::vector<std::string> left_out;
    json["graph"]["tensors"].each([&](const std::string& name, const JsonView& tensor) {
        const auto storage = storage_of(tensor["data_type"]);
        const JsonView params = tensor["quant_params"];
        if (!storage || params["definition"].integer() != is_defined) return;
        const int64_t encoding = params["encoding"].integer();
        if (encoding != undefined && (encoding < 0 || encoding > most_encoding))
            params["encoding"].fail(fmt::format("is {}, which is not an encoding of QNN", encoding));
        if (encoding == one_scale)
            out.emplace(name, value_of(params, *storage));
        else if (encoding != undefined)
            left_out.push_back(escape(name));
    });
    if (!left_out.empty())
        say_notice(
            fmt::format("left out, as their encodings have more than one scale, in QNN's layout of weights, or bits of their own: {}",
                        join(left_out, ", ")));
    return out;
}

bool implied_by_qnn(const EncodingEntry&) { return false; }

std::string unsaid_by_qnn(const EncodingEntry& entry) {
    const Encoding& e = entry.encoding;
    if (std::ranges::find(data_types, e.storage, &DataType::storage) == data_types.end())
        return is_integer(e.storage) ? fmt::format("codes of {}", name_of(e.storage)) : std::string(name_of(e.storage));
    return e.per_tensor() && e.block == 0 ? "" : "more than one scale, as weights lie in another layout there";
}

void put_qnn_graph(const std::vector<EncodingEntry>& entries, const EncodingsForm::Sink& to) {
    to("{\"graph\":{\"nodes\":{},\"tensors\":{");
    for (size_t n = 0; n < entries.size(); ++n) {
        const EncodingEntry entry = entries[n].filled();
        const auto type = std::ranges::find(data_types, entry.encoding.storage, &DataType::storage);
        to(
            fmt::format("{}{}:{{\"data_type\":{},\"quant_params\":{{\"definition\":{},\"encoding\":{},\"scale_offset\":{{\"offset\":{},"
                        "\"scale\":{}}}}}}}",
                        n ? ",\n" : "\n", json_text(entry.key), type->number, is_defined, one_scale, -entry.zero.at(0),
                        json_number(entry.scale.at(0))));
    }
    to(entries.empty() ? "}}}\n" : "\n}}}\n");
}

}  // namespace quern
