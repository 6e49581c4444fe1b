#include "formats/tflite/write/pack_options.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::tflite_format {
namespace {

using flatbuffers::ElementaryType;
using flatbuffers::TypeTable;
using flatbuffers::voffset_t;

// Operators that share a table, or whose table is not called as they are.
struct Shared {
    std::string_view code, table;
};
constexpr std::array shared_tables{
    Shared{"AVERAGE_POOL_2D", "Pool2DOptions"},
    Shared{"MAX_POOL_2D", "Pool2DOptions"},
    Shared{"L2_POOL_2D", "Pool2DOptions"},
    Shared{"MAXIMUM", "MaximumMinimumOptions"},
    Shared{"MINIMUM", "MaximumMinimumOptions"},
    Shared{"MEAN", "ReducerOptions"},
    Shared{"SUM", "ReducerOptions"},
    Shared{"REDUCE_MAX", "ReducerOptions"},
    Shared{"REDUCE_MIN", "ReducerOptions"},
    Shared{"REDUCE_PROD", "ReducerOptions"},
    Shared{"REDUCE_ANY", "ReducerOptions"},
    Shared{"REDUCE_ALL", "ReducerOptions"},
    Shared{"L2_NORMALIZATION", "L2NormOptions"},
    Shared{"UNIDIRECTIONAL_SEQUENCE_RNN", "SequenceRNNOptions"},
    Shared{"CONV_3D_TRANSPOSE", "Conv3DOptions"},
    Shared{"RANDOM_UNIFORM", "RandomOptions"},
    Shared{"RANDOM_STANDARD_NORMAL", "RandomOptions"},
    Shared{"MULTINOMIAL", "RandomOptions"},
};

// "CONV_2D" and "Conv2DOptions" as what they have in common.
std::string folded(std::string_view name) {
    std::string out;
    for (const char c : name)
        if (c != '_') out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return out;
}

int64_t enumerator(const TypeTable& type, const std::string& word) {
    for (size_t i = 0; i < type.num_elems; ++i)
        if (word == type.names[i]) return type.values ? type.values[i] : static_cast<int64_t>(i);
    throw unsupported("option value \"{}\" is not known", escape(word));
}

class TablePacker {
   public:
    TablePacker(flatbuffers::FlatBufferBuilder& builder, const TypeTable& type) : builder_(builder), type_(type) {}

    flatbuffers::Offset<void> run(const Attrs& options) {
        std::vector<std::pair<size_t, const Attr*>> fields;
        for (const auto& [name, attr] : options) {
            const auto found =
                std::find_if(type_.names, type_.names + type_.num_elems, [&, &name = name](const char* n) { return name == n; });
            if (found == type_.names + type_.num_elems) throw unsupported("there is no option \"{}\"", escape(name));
            fields.emplace_back(found - type_.names, &attr);
        }
        std::vector<flatbuffers::uoffset_t> outside(type_.num_elems, 0);
        for (const auto& [field, attr] : fields) outside[field] = put_outside(field, *attr);
        builder_.ForceDefaults(true);
        const auto start = builder_.StartTable();
        for (const auto& [field, attr] : fields) {
            const auto offset = flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(field));
            if (outside[field])
                builder_.AddOffset(offset, flatbuffers::Offset<void>(outside[field]));
            else
                put_scalar(field, offset, *attr);
        }
        builder_.ForceDefaults(false);
        return builder_.EndTable(start);
    }

   private:
    ElementaryType base(size_t field) const { return static_cast<ElementaryType>(type_.type_codes[field].base_type); }

    // Lists and texts lie outside their table; 0: the field is a scalar.
    flatbuffers::uoffset_t put_outside(size_t field, const Attr& attr) {
        if (type_.type_codes[field].is_repeating) {
            const auto* items = std::get_if<Ints>(&attr);
            if (const auto* reals = std::get_if<std::vector<float>>(&attr); reals && base(field) == flatbuffers::ET_FLOAT)
                return builder_.CreateVector(*reals).o;
            if (!items) mismatch(field);
            switch (base(field)) {
                case flatbuffers::ET_BOOL:
                case flatbuffers::ET_CHAR:
                case flatbuffers::ET_UCHAR: return builder_.CreateVector(std::vector<uint8_t>(items->begin(), items->end())).o;
                case flatbuffers::ET_INT:
                case flatbuffers::ET_UINT: return builder_.CreateVector(std::vector<int32_t>(items->begin(), items->end())).o;
                case flatbuffers::ET_LONG: return builder_.CreateVector(*items).o;
                default: mismatch(field);
            }
        }
        if (base(field) != flatbuffers::ET_STRING) return 0;
        const auto* text = std::get_if<std::string>(&attr);
        if (!text) mismatch(field);
        return builder_.CreateString(*text).o;
    }

    void put_scalar(size_t field, voffset_t offset, const Attr& attr) {
        if (base(field) == flatbuffers::ET_FLOAT) {
            const auto* real = std::get_if<float>(&attr);
            if (!real) mismatch(field);
            return builder_.AddElement<float>(offset, *real, 0);
        }
        const int64_t number = integer(field, attr);
        switch (base(field)) {
            case flatbuffers::ET_BOOL:
            case flatbuffers::ET_CHAR:
            case flatbuffers::ET_UCHAR:
            case flatbuffers::ET_UTYPE: return builder_.AddElement<int8_t>(offset, static_cast<int8_t>(number), 0);
            case flatbuffers::ET_INT:
            case flatbuffers::ET_UINT: return builder_.AddElement<int32_t>(offset, static_cast<int32_t>(number), 0);
            case flatbuffers::ET_LONG:
            case flatbuffers::ET_ULONG: return builder_.AddElement<int64_t>(offset, number, 0);
            default: mismatch(field);
        }
    }

    int64_t integer(size_t field, const Attr& attr) const {
        if (const auto* number = std::get_if<int64_t>(&attr)) return *number;
        const auto* word = std::get_if<std::string>(&attr);
        const int ref = type_.type_codes[field].sequence_ref;
        if (!word || ref < 0) mismatch(field);
        return enumerator(*type_.type_refs[ref](), *word);
    }

    [[noreturn]] void mismatch(size_t field) const { throw unsupported("option \"{}\" is of another kind", type_.names[field]); }

    flatbuffers::FlatBufferBuilder& builder_;
    const TypeTable& type_;
};

}  // namespace

std::string options_name(Code code) {
    const std::string_view name = tflite::EnumNameBuiltinOperator(code);
    for (const Shared& row : shared_tables)
        if (row.code == name) return std::string(row.table);
    return folded(name) + "options";
}

// The member of the union that holds the options of an operator; 0: none. Of each table and operator it is sought once.
static size_t member_of(Code code, const TypeTable& members) {
    static std::mutex mutex;
    static std::map<std::pair<const TypeTable*, Code>, size_t> known;
    const std::scoped_lock lock(mutex);
    const auto [found, fresh] = known.try_emplace({&members, code}, 0);
    if (!fresh) return found->second;
    const std::string wanted = folded(options_name(code));
    for (size_t i = 1; i < members.num_elems && found->second == 0; ++i)
        if (folded(members.names[i]) == wanted) found->second = i;
    return found->second;
}

PackedOptions pack_options(flatbuffers::FlatBufferBuilder& builder, Code code, const Attrs& options, const TypeTable* members) {
    const size_t i = member_of(code, *members);
    if (i == 0) return {};
    const TypeTable& type = *members->type_refs[members->type_codes[i].sequence_ref]();
    const auto member = static_cast<uint8_t>(members->values ? members->values[i] : static_cast<int64_t>(i));
    return {member, TablePacker(builder, type).run(options)};
}

}  // namespace quern::tflite_format
