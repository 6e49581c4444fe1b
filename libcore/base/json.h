// JSON: reading with errors that name the place, writing in a fixed compact form (the caller gives sorted keys).
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/json_fwd.h"

namespace quern {

// Throws Exit::bad_input with line and column; nesting is limited to 64 levels, text must be UTF-8.
Json parse_json(std::string_view text);

// A place in a document. Accessors throw Exit::bad_input: `values."conv_1".min: is a string, need a number`.
class JsonView {
   public:
    explicit JsonView(const Json& json, std::string place = {}) : json_(&json), place_(std::move(place)) {}

    const Json& json() const { return *json_; }
    const std::string& place() const { return place_; }
    [[noreturn]] void fail(std::string_view what) const;

    bool has(std::string_view key) const;                                                            // of an object
    JsonView operator[](std::string_view key) const;                                                 // a member that must be there
    JsonView at(size_t index) const;                                                                 // of an array
    size_t size() const;                                                                             // of an array
    void each(const std::function<void(const std::string& key, const JsonView& member)>& fn) const;  // of an object, keys sorted

    int64_t integer() const;
    uint64_t natural() const;  // not negative
    double real() const;
    float real32() const;                    // finite
    std::vector<float> reals32() const;      // an array of finite floats
    std::vector<double> reals() const;       // of finite doubles
    std::vector<uint64_t> naturals() const;  // an array
    bool boolean() const;
    const std::string& text() const;
    // An own document: {"kind": kind, "version": 1..newest, ...}. Returns the version.
    int64_t check_kind(std::string_view kind, int64_t newest) const;

   private:
    const Json* json_;
    std::string place_;
};

// `json` as a document: indented, with a newline at its end; in one line, without. Bytes that are not valid UTF-8 become U+FFFD.
std::string json_document(const Json& json, int indent = 2);
std::string json_line(const Json& json);
// `text` between quotes, escaped; bytes that are not valid UTF-8 become U+FFFD.
std::string json_text(std::string_view text);
// The shortest text that reads back as the same float, also through a double.
std::string json_number(float value);
std::string json_number(double value);
// "[1,2.5]".
std::string json_numbers(std::span<const float> values);

}  // namespace quern
