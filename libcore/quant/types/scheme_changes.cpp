// Fine settings over a type.
#include <tuple>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/quant/types/scheme.h"

namespace quern {
namespace {

using Activations = Scheme::Activations;

[[noreturn]] void refuse(std::string_view key, const Scheme& base, std::string_view why) {
    throw usage_error("{} does not go with type {}: {}", key, base.name, why);
}

// Of activations with another number of bits. ONE has no uint16.
bool has_sign(const Scheme& base) { return is_float(base.activation) || int_range(base.activation).min < 0 || base.recipe == "one"; }

void set_activation_bits(Scheme& scheme, int64_t bits, bool plain) {
    const DType wide = plain ? DType::i16 : DType::u16, narrow = plain ? DType::i8 : DType::u8;
    scheme.activation = bits == 16 ? wide : narrow;
    scheme.activation_symmetric = plain && bits == 16;
}

void change_activations(Scheme& scheme, const SchemeChanges& changes, const Scheme& base) {
    if ((changes.act_bits || changes.act_sym) && base.activations == Activations::float32)
        refuse(changes.act_bits ? "act_bits" : "act_sym", base, "its activations stay float");
    if (changes.act_bits) {
        const int64_t bits = *changes.act_bits;
        if (bits != 8 && bits != 16) throw usage_error("act_bits: got {}, need 8 or 16", bits);
        if (bits == 16 && base.activations == Activations::dynamic) refuse("act_bits 16", base, "what is quantized at run time has 8 bits");
        if (bits != bits_of(base.activation)) set_activation_bits(scheme, bits, has_sign(base));
    }
    if (changes.act_sym && base.activations == Activations::dynamic && base.activation != DType::i8)
        refuse("act_sym", base, "DynamicQuantizeLinear has one form");
    if (!changes.act_sym.value_or(true) && is_float(scheme.activation)) refuse("act_sym no", base, "float8 has no zero point");
    if (changes.act_sym) scheme.activation_symmetric = *changes.act_sym;
}

DType weight_storage(int64_t bits, const Scheme& base) {
    const bool plain = is_float(base.weight) || int_range(base.weight).min < 0;
    switch (bits) {
        case 2: return plain ? DType::i2 : DType::u2;
        case 4: return plain ? DType::i4 : DType::u4;
        case 8: return plain ? DType::i8 : DType::u8;
        case 16: return DType::i16;
        default: throw usage_error("weight_bits: got {}, need 2, 4, 8 or 16", bits);
    }
}

// What the accelerator has.
void check_nnpa(const SchemeChanges& changes, const Scheme& base) {
    if (changes.per_row.value_or(false)) refuse("per_row", base, "NNPA has one scale per tensor");
    if (changes.per_channel.value_or(false)) refuse("per_channel", base, "NNPA has one scale per tensor");
    if (changes.block.value_or(0) != 0) refuse("block", base, "NNPA has one scale per tensor");
    if (changes.weight_bits.value_or(8) != 8) refuse("weight_bits", base, "NNPA has 8 bits");
    if (changes.weights.value_or(DType::i8) != DType::i8) refuse("weights", base, "NNPA has int8");
}

// Asked for rows alone, all other weights have one scale.
void change_channels(Scheme& scheme, const SchemeChanges& changes) {
    if (changes.per_channel) scheme.per_channel = scheme.per_row = *changes.per_channel;
    if (!changes.per_row) return;
    scheme.per_row = *changes.per_row;
    if (scheme.per_row && !changes.per_channel) scheme.per_channel = false;
}

void change_rest(Scheme& scheme, const SchemeChanges& changes, const Scheme& base) {
    if (changes.bias_bits) {
        if (*changes.bias_bits != 8 && *changes.bias_bits != 32) throw usage_error("bias_bits: got {}, need 8 or 32", *changes.bias_bits);
        if (!base.full() || is_float(scheme.weight) || is_float(scheme.activation)) refuse("bias_bits", base, "its biases stay float");
        scheme.bias_bits = static_cast<int>(*changes.bias_bits);
    }
    if (changes.float_bits) {
        if (*changes.float_bits != 16 && *changes.float_bits != 32)
            throw usage_error("float_bits: got {}, need 16 or 32", *changes.float_bits);
        scheme.float_bits = static_cast<int>(*changes.float_bits);
    }
}

void change_weights(Scheme& scheme, const SchemeChanges& changes, const Scheme& base) {
    if (changes.weight_bits && !(is_scaled(base.weight) && *changes.weight_bits == bits_of(base.weight)))
        scheme.weight = weight_storage(*changes.weight_bits, base);
    if (!changes.weight_sym.value_or(true) && is_float(scheme.weight)) refuse("weight_sym no", base, "floats have no zero point");
    if (!is_scaled(scheme.weight)) {
        const std::pair<std::string_view, bool> settings[] = {
            {"weight_sym", changes.weight_sym.has_value()}, {"per_channel", changes.per_channel.has_value()},
            {"per_row", changes.per_row.has_value()},       {"block", changes.block.has_value()},
            {"two_level", changes.two_level.has_value()},   {"eps", changes.eps.has_value()}};
        for (const auto& [key, given] : settings)
            if (given) refuse(key, base, "its weights are floats, which have no scale");
        return;
    }
    if (changes.weight_sym) scheme.weight_symmetric = *changes.weight_sym;
    change_channels(scheme, changes);
    if (changes.block) {
        if (*changes.block < 0) throw usage_error("block: got {}, need 1 or more, or 0 for none", *changes.block);
        scheme.blocks = *changes.block > 0;
        scheme.block = changes.block;
    }
    if (changes.two_level) scheme.two_level = *changes.two_level;
    if (scheme.two_level && (scheme.weight != DType::i4 || !scheme.weight_symmetric || !scheme.blocks))
        refuse("two_level", base, "it needs symmetric int4 weights in blocks");
}

// 16 bits are symmetric and 8 bits are not, but for the type's own codes.
void change_edges(Scheme& scheme, const SchemeChanges& changes, const Scheme& base) {
    const std::tuple<std::string_view, const std::optional<DType>&, std::optional<EdgeType>&> edges[] = {
        {"inputs", changes.inputs, scheme.inputs}, {"outputs", changes.outputs, scheme.outputs}};
    for (const auto& [key, wanted, edge] : edges) {
        if (!wanted) continue;
        if (base.activations == Activations::float32) refuse(key, base, "its activations stay float");
        if (base.activations == Activations::dynamic) refuse(key, base, "its inputs are quantized at run time, and its results stay float");
        edge = EdgeType{*wanted, *wanted == scheme.activation ? scheme.activation_symmetric : *wanted == DType::i16};
    }
}

void change_weight_type(Scheme& scheme, const SchemeChanges& changes, const Scheme& base) {
    if (!changes.weights) return;
    if (changes.weight_bits) throw usage_error("weights and weight_bits say the same: need one of them");
    if (*changes.weights == DType::f32 && base.activations != Activations::fixed)
        refuse("weights none", base, "it quantizes weights; the rule none keeps all float");
    scheme.weight = *changes.weights;
    scheme.weight_symmetric = scheme.weight == DType::f32 || int_range(scheme.weight).min < 0;
    if (scheme.weight == DType::f32) scheme.blocks = scheme.two_level = false;
}

}  // namespace

bool Scheme::same_activations(const Scheme& other) const {
    return activations == other.activations && activation == other.activation && activation_symmetric == other.activation_symmetric &&
           recipe == other.recipe && least_scale == other.least_scale && taken_as() == other.taken_as() && made_as() == other.made_as();
}

Scheme changed(const Scheme& base, const SchemeChanges& changes) {
    Scheme scheme = base;
    if (base.recipe == "nnpa") check_nnpa(changes, base);
    change_activations(scheme, changes, base);
    change_edges(scheme, changes, base);
    change_weight_type(scheme, changes, base);
    change_weights(scheme, changes, base);
    change_rest(scheme, changes, base);
    if (changes.eps) {
        if (!(*changes.eps > 0)) throw usage_error("eps: got {}, need a number above 0", *changes.eps);
        scheme.least_scale = *changes.eps;
    }
    return scheme;
}

}  // namespace quern
