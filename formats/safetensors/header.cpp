#include "formats/safetensors/header.h"

#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/json_fwd.h"
#include "libcore/base/text.h"

namespace quern::safetensors {
namespace {

constexpr size_t most_dims = 64;
constexpr std::string_view metadata_key = "__metadata__";

// {NAME: {"dtype": TEXT, "shape": [N...], "data_offsets": [N, N]}..., "__metadata__": {TEXT: TEXT...}}
class Builder : public nlohmann::json_sax<Json> {
   public:
    bool null() override { refuse("null"); }
    bool boolean(bool) override { refuse("a boolean"); }
    bool number_integer(Json::number_integer_t value) override { return number(value); }
    bool number_unsigned(Json::number_unsigned_t value) override {
        if (value > INT64_MAX) refuse("a number above 2^63");
        return number(static_cast<int64_t>(value));
    }
    bool number_float(Json::number_float_t, const std::string&) override { refuse("a number with a fraction"); }
    bool binary(Json::binary_t&) override { refuse("bytes"); }
    bool string(std::string& value) override {
        if (place_ == Place::metadata)
            header.metadata[member_] = std::move(value);
        else if (place_ == Place::entry && member_ == "dtype")
            entry_->dtype = std::move(value);
        else
            refuse("a string");
        return true;
    }
    bool start_object(size_t) override {
        if (place_ == Place::start)
            place_ = Place::top;
        else if (place_ == Place::top)
            place_ = entry_ ? Place::entry : Place::metadata;
        else
            refuse("an object");
        return true;
    }
    bool end_object() override {
        if (place_ == Place::entry) check_whole();
        place_ = place_ == Place::top ? Place::end : Place::top;
        return true;
    }
    bool start_array(size_t) override {
        if (place_ != Place::entry || member_ == "dtype") refuse("an array");
        place_ = Place::array;
        return true;
    }
    bool end_array() override {
        place_ = Place::entry;
        return true;
    }
    bool key(std::string& name) override {
        if (place_ == Place::top) return top_key(name);
        member_ = name;
        if (place_ == Place::metadata) {
            if (!header.metadata.emplace(name, "").second) throw twice(name);
            return true;
        }
        bool* seen = name == "dtype"          ? &entry_->has_dtype
                     : name == "shape"        ? &entry_->has_shape
                     : name == "data_offsets" ? &entry_->has_offsets
                                              : nullptr;
        if (!seen) throw bad_input("tensor \"{}\" has a member \"{}\", need dtype, shape and data_offsets", escape(name_), escape(name));
        if (std::exchange(*seen, true)) throw twice(name);
        return true;
    }
    bool parse_error(size_t position, const std::string&, const Json::exception&) override {
        throw bad_input("the header is not JSON at byte {}", 8 + position);
    }

    Header header;

   private:
    enum class Place { start, top, metadata, entry, array, end };

    static Error twice(const std::string& name) { return bad_input("the header has \"{}\" twice", escape(name)); }
    [[noreturn]] void refuse(std::string_view got) const {
        if (place_ == Place::start) throw bad_input("the header is {}, need an object", got);
        if (place_ == Place::top) throw bad_input("\"{}\" is {}, need an object", escape(name_), got);
        const std::string_view want = place_ == Place::metadata || member_ == "dtype" ? "a string"
                                      : place_ == Place::entry                        ? "an array"
                                                                                      : "an integer that is not negative";
        throw bad_input("{} of \"{}\" is {}, need {}", escape(member_), escape(name_), got, want);
    }
    bool top_key(const std::string& name) {
        name_ = name;
        entry_ = nullptr;
        if (name == metadata_key) {
            if (std::exchange(has_metadata_, true)) throw twice(name);
            return true;
        }
        const auto [at, fresh] = header.entries.try_emplace(name);
        if (!fresh) throw twice(name);
        entry_ = &at->second;
        return true;
    }
    bool number(int64_t value) {
        if (place_ != Place::array) refuse("a number");
        if (value < 0) refuse("negative");
        std::vector<int64_t>& list = member_ == "shape" ? entry_->shape : entry_->offsets;
        if (list.size() == most_dims) throw bad_input("{} of \"{}\" has more than {} numbers", member_, escape(name_), most_dims);
        list.push_back(value);
        return true;
    }
    void check_whole() const {
        for (const auto& [has, member] :
             {std::pair(entry_->has_dtype, "dtype"), {entry_->has_shape, "shape"}, {entry_->has_offsets, "data_offsets"}})
            if (!has) throw bad_input("tensor \"{}\" has no {}", escape(name_), member);
        if (entry_->offsets.size() != 2)
            throw bad_input("data_offsets of \"{}\" has {} numbers, need 2", escape(name_), entry_->offsets.size());
    }

    Place place_ = Place::start;
    std::string name_, member_;
    HeaderEntry* entry_ = nullptr;
    bool has_metadata_ = false;
};

}  // namespace

Header parse_header(std::string_view json) {
    Builder builder;
    Json::sax_parse(json.begin(), json.end(), &builder);
    return std::move(builder.header);
}

}  // namespace quern::safetensors
