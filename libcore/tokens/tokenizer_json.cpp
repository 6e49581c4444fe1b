// TokenizerData (tokenizer_data.h) as a JSON document, written and read.
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/tokens/tokenizer_data.h"

namespace quern {

namespace {

constexpr std::string_view kind = "tokenizer";

// Bytes of any kind: a text, or an array of numbers where they are not valid UTF-8.
std::string json_bytes(std::string_view bytes) {
    if (is_utf8(bytes)) return json_text(bytes);
    std::string to = "[";
    for (const char c : bytes) to += fmt::format("{}{}", to.size() > 1 ? "," : "", static_cast<unsigned char>(c));
    return to + "]";
}

std::string bytes_of(const JsonView& json) {
    if (!json.json().is_array()) return json.text();
    std::string bytes;
    for (size_t i = 0; i < json.size(); ++i) {
        const uint64_t byte = json.at(i).natural();
        if (byte > 255) json.at(i).fail("is not a byte");
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

template <class Items, class Print>
std::string json_array(const Items& items, const Print& print) {
    std::string to = "[";
    for (const auto& item : items) {
        if (to.size() > 1) to += ",";
        to += print(item);
    }
    return to + "]";
}

// Members of an object in the order in which they are added; what is empty or not said is left out.
class Members {
   public:
    void add(std::string_view key, const std::string& value) { text_ += fmt::format(",\n{}:{}", json_text(key), value); }
    void add_bytes(std::string_view key, std::string_view value) {
        if (!value.empty()) add(key, json_bytes(value));
    }
    std::string object() const { return fmt::format("{{\"kind\":\"{}\",\"version\":1{}}}\n", kind, text_); }

   private:
    std::string text_;
};

int32_t small_integer(const JsonView& json) {
    const int64_t value = json.integer();
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) json.fail("is out of range");
    return static_cast<int32_t>(value);
}

template <class Item, class Read>
void read_array(const JsonView& json, std::string_view key, std::vector<Item>& to, const Read& read) {
    if (!json.has(key)) return;
    const JsonView array = json[key];
    to.reserve(array.size());
    for (size_t i = 0; i < array.size(); ++i) to.push_back(read(array.at(i)));
}

void read_bytes(const JsonView& json, std::string_view key, std::string& to) {
    if (json.has(key)) to = bytes_of(json[key]);
}

}  // namespace

std::string to_json(const TokenizerData& data) {
    Members members;
    members.add_bytes("model", data.model);
    members.add_bytes("pre", data.pre);
    members.add_bytes("name", data.name);
    members.add_bytes("architecture", data.architecture);
    for (const SpecialTokenField& field : special_token_fields())
        if (const auto id = data.*field.id) members.add(field.key, std::to_string(*id));
    for (const TokenizerFlag& field : tokenizer_flags())
        if (const auto flag = data.*field.flag) members.add(field.key, *flag ? "true" : "false");
    members.add_bytes("chat_template", data.chat_template);
    members.add_bytes("precompiled_charsmap", data.charsmap);
    members.add("tokens", json_array(data.tokens, json_bytes));
    if (!data.scores.empty()) members.add("scores", json_numbers(data.scores));
    if (!data.types.empty()) members.add("token_type", json_array(data.types, [](int32_t type) { return std::to_string(type); }));
    if (!data.merges.empty()) members.add("merges", json_array(data.merges, json_bytes));
    return members.object();
}

TokenizerData parse_tokenizer(std::string_view json) {
    const Json document = parse_json(json);
    const JsonView view(document);
    view.check_kind(kind, 1);
    TokenizerData data;
    data.model = view["model"].text();
    read_bytes(view, "pre", data.pre);
    read_bytes(view, "name", data.name);
    read_bytes(view, "architecture", data.architecture);
    for (const SpecialTokenField& field : special_token_fields())
        if (view.has(field.key)) data.*field.id = small_integer(view[field.key]);
    for (const TokenizerFlag& field : tokenizer_flags())
        if (view.has(field.key)) data.*field.flag = view[field.key].boolean();
    read_bytes(view, "chat_template", data.chat_template);
    read_bytes(view, "precompiled_charsmap", data.charsmap);
    read_array(view, "tokens", data.tokens, bytes_of);
    read_array(view, "scores", data.scores, [](const JsonView& score) { return score.real32(); });
    read_array(view, "token_type", data.types, small_integer);
    read_array(view, "merges", data.merges, bytes_of);
    check(data);
    return data;
}

}  // namespace quern
