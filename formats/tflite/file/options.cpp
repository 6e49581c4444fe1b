#include "formats/tflite/file/options.h"

#include <flatbuffers/minireflect.h>

#include <string>

#include "libcore/base/flat_list.h"

namespace quern::tflite_format {
namespace {

class Collector : public flatbuffers::IterationVisitor {
   public:
    Attrs take() { return std::move(attrs_); }

    void Field(size_t, size_t, flatbuffers::ElementaryType type, bool is_vector, const flatbuffers::TypeTable*, const char* name,
               const uint8_t* value) override {
        name_ = value && type != flatbuffers::ET_SEQUENCE ? name : nullptr;
        if (!name_ || !is_vector) return;
        switch (type) {
            case flatbuffers::ET_FLOAT:
            case flatbuffers::ET_DOUBLE: attrs_[name_] = std::vector<float>(); break;
            case flatbuffers::ET_STRING: attrs_[name_] = std::vector<std::string>(); break;
            default: attrs_[name_] = std::vector<int64_t>();
        }
        const auto* list =
            reinterpret_cast<const flatbuffers::Vector<uint8_t>*>(value + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(value));
        if (list->size() > 0) need_aligned(list->Data(), flatbuffers::InlineSize(type, nullptr));
    }
    void UType(uint8_t x, const char*) override { put(int64_t{x}); }
    void Bool(bool x) override { put(int64_t{x}); }
    void Char(int8_t x, const char* word) override { put(x, word); }
    void UChar(uint8_t x, const char* word) override { put(x, word); }
    void Short(int16_t x, const char* word) override { put(x, word); }
    void UShort(uint16_t x, const char* word) override { put(x, word); }
    void Int(int32_t x, const char* word) override { put(x, word); }
    void UInt(uint32_t x, const char* word) override { put(int64_t{x}, word); }
    void Long(int64_t x) override { put(x); }
    void ULong(uint64_t x) override { put(static_cast<int64_t>(x)); }
    void Float(float x) override { put(x); }
    void Double(double x) override { put(static_cast<float>(x)); }
    void String(const flatbuffers::String* x) override { put(x->str()); }

   private:
    void put(int64_t x, const char* word) {
        if (word && name_ && !std::holds_alternative<std::vector<int64_t>>(attrs_[name_]))
            attrs_[name_] = std::string(word);
        else
            put(x);
    }
    template <class T>
    void put(T x) {
        if (!name_) return;
        Attr& attr = attrs_[name_];
        if (auto* list = std::get_if<std::vector<T>>(&attr))
            list->push_back(std::move(x));
        else
            attr = std::move(x);
    }

    Attrs attrs_;
    const char* name_ = nullptr;
};

}  // namespace

Attrs options_of(const void* table, uint8_t member, const flatbuffers::TypeTable* type) {
    if (!table || member == 0) return {};
    const int64_t index = flatbuffers::LookupEnum(member, type->values, type->num_elems);
    if (index < 0 || index >= static_cast<int64_t>(type->num_elems)) return {};
    const auto code = type->type_codes[index];
    if (code.base_type != flatbuffers::ET_SEQUENCE || code.sequence_ref < 0) return {};
    Collector collector;
    flatbuffers::IterateObject(static_cast<const uint8_t*>(table), type->type_refs[code.sequence_ref](), &collector);
    return collector.take();
}

}  // namespace quern::tflite_format
