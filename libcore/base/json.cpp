#include "libcore/base/json.h"

#include <cmath>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/excerpt.h"
#include "libcore/base/file_kind.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr size_t depth_limit = 64;

std::string_view kind_name(const Json& json) {
    switch (json.type()) {
        case Json::value_t::null: return "null";
        case Json::value_t::object: return "an object";
        case Json::value_t::array: return "an array";
        case Json::value_t::string: return "a string";
        case Json::value_t::boolean: return "a boolean";
        default: return "a number";
    }
}

// The document; nlohmann's own parser with a callback takes a time that is quadratic in an object's members.
class Builder {
   public:
    explicit Builder(std::string_view text) : text_(text) {}

    bool null() { return put(nullptr); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(Json::number_integer_t value) { return put(value); }
    bool number_unsigned(Json::number_unsigned_t value) { return put(value); }
    bool number_float(Json::number_float_t value, const std::string&) { return put(value); }
    bool string(std::string& value) { return put(std::move(value)); }
    bool binary(Json::binary_t& value) { return put(std::move(value)); }
    bool start_object(size_t) { return open(Json::value_t::object); }
    bool end_object() { return close(); }
    bool start_array(size_t) { return open(Json::value_t::array); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        const auto [member, fresh] = open_.back()->get_ref<Json::object_t&>().emplace(name, nullptr);
        if (!fresh) throw bad_input("JSON has \"{}\" twice in one object", escape(name));
        member_ = &member->second;
        return true;
    }

    bool parse_error(size_t, const std::string&, const Json::exception& error) {
        const auto* syntax = dynamic_cast<const Json::parse_error*>(&error);
        if (!syntax) throw bad_input("not JSON: a number is out of range");
        if (const std::string kind = file_kind(text_); !kind.empty()) throw bad_input("not JSON: is {}", kind);
        if (trim(text_).empty()) throw bad_input("not JSON: is empty");
        const size_t position = syntax->byte ? syntax->byte - 1 : 0;
        const LineColumn at = line_column(text_, position);
        throw bad_input("not JSON: line {}, column {}", at.line, at.column).with_details(excerpt(text_, position));
    }

    Json document;

   private:
    // Where the next value stands: the document, the member whose key was read, or a new item.
    template <class T>
    Json& put_at(T&& value) {
        if (!open_.empty() && open_.back()->is_array()) return open_.back()->get_ref<Json::array_t&>().emplace_back(std::forward<T>(value));
        return (open_.empty() ? document : *member_) = Json(std::forward<T>(value));
    }

    template <class T>
    bool put(T&& value) {
        put_at(std::forward<T>(value));
        return true;
    }

    bool open(Json::value_t kind) {
        if (open_.size() >= depth_limit) throw bad_input("JSON nests deeper than {} levels", depth_limit);
        open_.push_back(&put_at(kind));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    std::string_view text_;
    std::vector<Json*> open_;
    Json* member_ = nullptr;
};

}  // namespace

Json parse_json(std::string_view text) {
    Builder builder(text);
    Json::sax_parse(text.begin(), text.end(), &builder);
    return std::move(builder.document);
}

void JsonView::fail(std::string_view what) const { throw bad_input("{}{}{}", place_, place_.empty() ? "" : ": ", what); }

bool JsonView::has(std::string_view key) const {
    if (!json_->is_object()) fail(fmt::format("is {}, need an object", kind_name(*json_)));
    return json_->contains(key);
}

JsonView JsonView::operator[](std::string_view key) const {
    if (!has(key)) fail(fmt::format("\"{}\" is missing", escape(key)));
    const bool plain = key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string_view::npos;
    const std::string name = plain ? std::string(key) : fmt::format("\"{}\"", escape(key));
    return JsonView((*json_)[std::string(key)], place_.empty() ? name : place_ + "." + name);
}

JsonView JsonView::at(size_t index) const {
    if (index >= size()) fail(fmt::format("has {} items, need {}", size(), index + 1));
    return JsonView((*json_)[index], fmt::format("{}[{}]", place_, index));
}

size_t JsonView::size() const {
    if (!json_->is_array()) fail(fmt::format("is {}, need an array", kind_name(*json_)));
    return json_->size();
}

void JsonView::each(const std::function<void(const std::string&, const JsonView&)>& fn) const {
    if (!json_->is_object()) fail(fmt::format("is {}, need an object", kind_name(*json_)));
    for (const auto& item : json_->items()) fn(item.key(), (*this)[item.key()]);
}

int64_t JsonView::integer() const {
    if (!json_->is_number_integer()) fail(fmt::format("is {}, need an integer", kind_name(*json_)));
    if (json_->is_number_unsigned() && json_->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        fail("is too large");
    return json_->get<int64_t>();
}

uint64_t JsonView::natural() const {
    if (!json_->is_number_unsigned()) fail(fmt::format("is {}, need an integer that is not negative", kind_name(*json_)));
    return json_->get<uint64_t>();
}

double JsonView::real() const {
    if (!json_->is_number()) fail(fmt::format("is {}, need a number", kind_name(*json_)));
    return json_->get<double>();
}

float JsonView::real32() const {
    const auto value = static_cast<float>(real());
    if (!std::isfinite(value)) fail("is not a finite float32");
    return value;
}

std::vector<float> JsonView::reals32() const {
    std::vector<float> values(size());
    for (size_t i = 0; i < values.size(); ++i) {
        const Json& item = (*json_)[i];
        values[i] = item.is_number() ? static_cast<float>(item.get<double>()) : NAN;
        if (!std::isfinite(values[i])) (void)at(i).real32();  // throws, naming the place
    }
    return values;
}

std::vector<double> JsonView::reals() const {
    std::vector<double> values;
    for (size_t i = 0; i < size(); ++i) {
        values.push_back(at(i).real());
        if (!std::isfinite(values.back())) at(i).fail("is not finite");
    }
    return values;
}

std::vector<uint64_t> JsonView::naturals() const {
    std::vector<uint64_t> values(size());
    for (size_t i = 0; i < values.size(); ++i) {
        const Json& item = (*json_)[i];
        values[i] = item.is_number_unsigned() ? item.get<uint64_t>() : at(i).natural();
    }
    return values;
}

bool JsonView::boolean() const {
    if (!json_->is_boolean()) fail(fmt::format("is {}, need true or false", kind_name(*json_)));
    return json_->get<bool>();
}

const std::string& JsonView::text() const {
    if (!json_->is_string()) fail(fmt::format("is {}, need a string", kind_name(*json_)));
    return json_->get_ref<const std::string&>();
}

int64_t JsonView::check_kind(std::string_view kind, int64_t newest) const {
    const std::string& got = (*this)["kind"].text();
    if (got != kind) fail(fmt::format("kind is \"{}\", need \"{}\"", escape(got), kind));
    const int64_t version = (*this)["version"].integer();
    if (version < 1 || version > newest) fail(fmt::format("{} version {}, this tool reads up to {}", kind, version, newest));
    return version;
}

std::string json_document(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string json_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string json_text(std::string_view text) { return json_line(Json(text)); }

// As a whole number it would be read as 0.
static bool is_minus_zero(double value) { return value == 0 && std::signbit(value); }

std::string json_number(float value) {
    if (is_minus_zero(static_cast<double>(value))) return "-0.0";
    const std::string text = shortest(value);
    const std::optional<double> back = parse_double(text);
    return back && static_cast<float>(*back) == value ? text : shortest(static_cast<double>(value));
}

std::string json_number(double value) { return is_minus_zero(value) ? "-0.0" : shortest(value); }

std::string json_numbers(std::span<const float> values) {
    std::string out = "[";
    for (const float value : values) {
        if (out.size() > 1) out += ',';
        out += json_number(value);
    }
    return out += ']';
}

}  // namespace quern
