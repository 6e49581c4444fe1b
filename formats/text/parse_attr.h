// Parsing of types, attribute values and tensors.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "formats/text/scan.h"
#include "libcore/base/bytes.h"
#include "libcore/graph/op.h"

namespace quern::text {

struct Item;
using Items = std::vector<Item>;
using Dict = std::map<std::string, Item, std::less<>>;

// An attribute value as written; what it means is decided where it is used.
struct Item {
    struct Unit {};
    struct Number {
        std::string_view text;
        DType suffix = DType::none;  // of "1 : si64"
    };
    struct List {
        Items items;
        DType kind = DType::none;  // of array<i64: ...>; none: not said
        bool tensors = false;      // array<tensor>
    };
    size_t position = 0;
    std::variant<Unit, Number, bool, std::string, List, std::shared_ptr<Dict>, Tensor, Type, DType> value;

    template <class T>
    const T* get() const {
        return std::get_if<T>(&value);
    }
};

class AttrParser {
   public:
    // `file`: side files lie beside it; empty: they are refused.
    AttrParser(Scanner& scan, std::string file) : scan_(scan), file_(std::move(file)) {}

    Type type(bool absent_allowed, bool& absent);
    Type type();
    Item item();
    Dict dict();  // from "{" to "}"

    int64_t integer(const Item& item) const;
    float real(const Item& item) const;
    const std::string& string(const Item& item) const;
    const Dict& dict_of(const Item& item) const;
    const Items& list(const Item& item) const;
    const Tensor& tensor(const Item& item) const;

    // As an operator's attribute; `def` is its row, nullptr if the row has none.
    Attr attr(const Item& item, const AttrDef* def) const;
    Encoding encoding(const Item& item) const;

   private:
    int64_t small(const Item& item) const;  // from -1 to the largest int
    DType dtype(const Item& item) const;
    Encoding::Kind kind(const Item& item) const;
    const BlockFormat* format(const Item& item) const;
    Dim dim();
    DType element();
    Item list_item();
    Item array_item();
    Item dense();
    Item side_file();
    Dims fixed_type(DType& dtype);
    Bytes side(const std::string& name, size_t position);

    Scanner& scan_;
    std::string file_;
    std::map<std::string, Bytes> sides_;
};

}  // namespace quern::text
