// Elementwise operators that are more than an expression: remainders, whole quotients and powers, shifts of bits; and those that keep
// elements as they are.
#include <fmt/format.h>

#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/graph/op_ids.h"

namespace quern::cgen {
namespace {

bool is_signed(std::string_view c_type) { return c_type.starts_with("int"); }

// The least number over -1, which C leaves undefined.
std::string special(std::string_view c_type, std::string_view result) {
    return is_signed(c_type) ? fmt::format("if (v == -1) return {};", result) : std::string();
}

void emit_whole_quotient(Emit& e, const std::string& type) {
    const std::string fn = e.source.kernel("whole_quotient", {{"A", type}, {"SPECIAL", special(type, "(@A@)(0 - (uint64_t)u)")}});
    emit_pairs(e, {{"VALUE", fn + "(u, v)"}}, "whole_quotient");
}

void emit_remainder(Emit& e) {
    const std::string type(e.real_in_type(0));
    const bool of_dividend = e.view.integer("fmod") != 0 || (!is_real(type) && !is_signed(type));
    std::string fn = is_real(type) ? e.math("fmodf", type == "double")
                                   : e.source.kernel("whole_remainder", {{"A", type}, {"SPECIAL", special(type, "0")}});
    if (!of_dividend) fn = e.source.kernel("remainder_of_divisor", {{"A", type}, {"REMAINDER", fn}});
    emit_pairs(e, {{"VALUE", fn + "(u, v)"}}, of_dividend ? "remainder_of_dividend" : "remainder_of_divisor");
}

void emit_whole_power(Emit& e, const std::string& type) {
    if (!is_real(e.real_in_type(1))) {
        const std::string fn = e.source.kernel("whole_power_of", {{"A", type}});
        return emit_pairs(e, {{"VALUE", fn + "(u, v)"}}, "whole_power_of");
    }
    Words words{{"VALUE", "(@A@)@powf@((double)u, (double)v)"}};
    e.add_math(words, "powf", "double");
    emit_pairs(e, words, "power_of_whole");
}

void emit_shift(Emit& e) {
    const std::string type(e.real_in_type(0));
    const bool left = e.view.text("direction") == "LEFT";
    const std::string beyond = !left && is_signed(type) ? "u < 0 ? -1 : 0" : "0", shifted = left              ? "(uint64_t)u << v"
                                                                                            : is_signed(type) ? "(int64_t)u >> v"
                                                                                                              : "(uint64_t)u >> v";
    emit_pairs(e, {{"VALUE", fmt::format("(@Y@)((uint64_t)v > 63 ? {} : (@Y@)({}))", beyond, shifted)}},
               left ? "shift_left" : "shift_right");
}

void emit_is_infinite(Emit& e) {
    const std::string type(e.real_in_type(0));
    const auto test = [&](const char* attribute, bool positive) {
        return e.view.integer(attribute) != 0 ? "u == " + infinity(type, positive) : std::string();
    };
    const std::string positive = test("detect_positive", true), negative = test("detect_negative", false);
    if (positive.empty() && negative.empty())
        return e.call(e.source.kernel("fill", {{"A", "uint8_t"}}), {e.out(), text_of(e.out_count()), "0"});
    const std::string x = e.real_in(0);
    const std::string fn =
        e.source.kernel("unary",
                        {{"A", type},
                         {"Y", "uint8_t"},
                         {"PARAMETERS", ""},
                         {"VALUE", positive + (positive.empty() || negative.empty() ? "" : " || ") + negative}},
                        fmt::format("is_infinite{}{}", positive.empty() ? "" : "_above", negative.empty() ? "" : "_below"));
    e.call(fn, {x, e.out(), text_of(e.out_count())});
}

// ---- elements as they are ------------------------------------------------------------------------------------------------------

void copy_bytes(Emit& e) {
    e.source.need_memory();
    e.f.statement(fmt::format("memcpy({}, {}, {} * sizeof({}));", e.out(), e.in(0), e.in_count(0), e.in_type(0)));
}

void emit_dropout(Emit& e) {
    const auto training = e.has_in(2) ? e.constant(2) : std::optional(Tensor::scalar(false));
    if (!training) throw unsupported("the training mode is computed in the run");
    if (to_ints(*training)[0] != 0) throw unsupported("training mode");
    if (e.in_encoding(0) || e.out_encoding()) throw unsupported("codes");
    if (e.wants(0)) copy_bytes(e);
    if (e.wants(1)) e.call(e.source.kernel("fill", {{"A", "uint8_t"}}), {e.out(1), text_of(e.out_count(1)), "1"});
}

void emit_bit_cast(Emit& e) {
    if (e.in_encoding(0) || e.out_encoding()) throw unsupported("codes");
    copy_bytes(e);
}

constexpr std::array arithmetic_table{
    EmitRow{Kind::real, "Mod", emit_remainder},     EmitRow{Kind::real, "BitShift", emit_shift},
    EmitRow{Kind::real, "IsInf", emit_is_infinite}, EmitRow{Kind::real, "Dropout", emit_dropout},
    EmitRow{Kind::real, "BitCast", emit_bit_cast},
};

}  // namespace

bool emit_whole_arithmetic(Emit& e) {
    const std::string type(e.real_in_type(0));
    if (is_real(type)) return false;
    if (e.node.is(ops::Div))
        emit_whole_quotient(e, type);
    else if (e.node.is(ops::Pow))
        emit_whole_power(e, type);
    else
        return false;
    return true;
}

std::span<const EmitRow> arithmetic_rows() { return arithmetic_table; }

}  // namespace quern::cgen
