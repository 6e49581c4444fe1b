// Types: tensor<?{batch}x3xf32>, !onnx.Seq<...>, !onnx.Opt<...>, none.
#include "formats/text/parse_attr.h"
#include "libcore/base/text.h"

namespace quern::text {

DType AttrParser::element() {
    const size_t begin = scan_.position();
    if (scan_.accept("!onnx.String")) return DType::string;
    std::string name(scan_.word());
    if (name == "complex") {
        scan_.expect("<");
        name += "<" + std::string(scan_.word()) + ">";
        scan_.expect(">");
    }
    if (name.starts_with("si")) name.erase(0, 1);  // MLIR's signed integers are our plain ones
    for (const DTypeRow& row : dtype_rows())
        if (row.mlir == name) return row.dtype;
    throw scan_.error(begin, fmt::format("\"{}\" is not an element type, need f32, i8, ui8 or the like", escape(name)));
}

Dim AttrParser::dim() {
    if (!scan_.accept("?")) {
        const size_t begin = scan_.position();
        const std::string_view digits = scan_.digits();
        const auto value = parse_int(digits);
        if (!value) throw scan_.error(begin, fmt::format("\"{}\" is not a dimension", digits));
        return Dim::of(*value);
    }
    if (!scan_.accept("{")) return Dim::unknown();
    std::string symbol;
    if (scan_.peek() == '"')
        symbol = scan_.string();
    else
        while (scan_.peek() != '}') symbol += scan_.symbol_character();
    scan_.expect("}");
    if (symbol.empty()) throw scan_.error(scan_.position(), "a dimension's symbol is empty");
    return Dim::named(std::move(symbol));
}

Type AttrParser::type() {
    bool absent = false;
    return type(false, absent);
}

Type AttrParser::type(bool absent_allowed, bool& absent) {
    const Scanner::Depth depth(scan_);
    absent = false;
    if (scan_.accept("!onnx.Seq<") || scan_.next_is("!onnx.Opt<")) {
        Type out;
        out.kind = scan_.accept("!onnx.Opt<") ? Type::Kind::optional : Type::Kind::sequence;
        bool unknown = false;
        const Type inner = type(true, unknown);
        if (!unknown) out.element = std::make_shared<const Type>(inner);
        scan_.expect(">");
        return out;
    }
    if (absent_allowed && scan_.accept_word("none")) {
        absent = true;
        return {};
    }
    if (!scan_.accept_word("tensor")) throw scan_.unexpected("a type");
    scan_.expect("<");
    Shape shape = Shape::of_rank(0);
    if (scan_.accept("*")) {
        shape = Shape::unranked();
        scan_.expect("x");
    }
    while (shape.ranked && (scan_.peek() == '?' || (scan_.peek() >= '0' && scan_.peek() <= '9'))) {
        if (shape.dims.size() == 64) throw scan_.error(scan_.position(), "a tensor has more than 64 dimensions");
        shape.dims.push_back(dim());
        scan_.expect("x");
    }
    const DType dtype = element();
    scan_.expect(">");
    return Type::tensor(dtype, std::move(shape));
}

}  // namespace quern::text
