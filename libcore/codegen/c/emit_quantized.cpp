// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear that stand as they are: scales and zero points are tensors like others.
#include <fmt/format.h>

#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/ops/shared/shared.h"

namespace quern::cgen {
namespace {

// The elements of x with the steps of its scales: one, one an index along the axis, or one per block there.
std::string scale_walk(Emit& e) {
    Dims dims = e.in_dims(0);
    const Dims& scale = e.in_dims(1);
    const int64_t block = e.view.integer("block_size");
    std::vector<int64_t> x_steps = strides_of(dims), steps(dims.size(), 0);
    if (block > 0) {
        const size_t axis = normal_axis(e.view.integer("axis"), dims.size());
        if (dims[axis] % block != 0) throw unsupported("blocks of {} along {} items", block, dims[axis]);
        steps = broadcast_steps(scale, scale);
        const auto at = static_cast<std::ptrdiff_t>(axis);
        dims[axis] /= block;
        dims.insert(dims.begin() + at + 1, block);
        x_steps.insert(x_steps.begin() + at, x_steps[axis] * block);
        steps.insert(steps.begin() + at + 1, 0);
    } else if (count_of(scale) != 1 || scale.size() > 1) {
        steps[normal_axis(e.view.integer("axis"), dims.size())] = 1;
    }
    return walk(e, dims, {x_steps, steps}, "scales");
}

// The zero point of the element at hand, in a kernel `binary` of numbers and scales; adds what it needs.
std::string zero_of(Emit& e, Words& words, std::vector<std::string>& arguments) {
    if (!e.has_in(2)) return "0";
    words.emplace_back("Z", std::string(e.in_type(2)));
    words.emplace_back("PARAMETERS", ", const @Z@* zero");
    arguments.push_back(e.in(2));
    return "zero[q + i * s->b[last]]";
}

void emit_quantize(Emit& e) {
    if (dtype_attr(e.view, "precision", DType::f32) != DType::f32) throw unsupported("division in another type than float32");
    if (e.real_in_type(0) != "float" && e.real_in_type(0) != "int32_t") throw unsupported("elements of type {}", e.real_in_type(0));
    const DType storage = e.f.held(e.out_id(0));
    if (!is_integer(storage)) throw unsupported("codes of type {}", name_of(storage));
    const IntRange range = int_range(storage);
    e.source.kernel("quantize_one");
    Words words{{"A", std::string(e.real_in_type(0))}, {"B", "float"}, {"Y", std::string(e.out_type())}};
    std::vector<std::string> arguments{e.real_in(0), e.real_in(1), e.out(), scale_walk(e)};
    const std::string zero = zero_of(e, words, arguments);
    words.emplace_back("VALUE", fmt::format("(@Y@)quantize_one((float)u / v, {}, {}, {})", zero, range.min, range.max));
    words.emplace_back("PARAMETERS", "");
    e.call(e.source.kernel("binary", words, e.has_in(2) ? "quantize_zero" : "quantize"), arguments);
}

void emit_dequantize(Emit& e) {
    if (!is_integer(e.f.held(e.in_id(0)))) throw unsupported("codes of type {}", name_of(e.f.held(e.in_id(0))));
    Words words{{"A", std::string(e.in_type(0))}, {"B", "float"}, {"Y", "float"}};
    const std::string scale = e.real_in(1);
    std::vector<std::string> arguments{e.in(0), scale, e.real_out(), scale_walk(e)};
    const std::string zero = zero_of(e, words, arguments);
    words.emplace_back("VALUE", fmt::format("(float)((int64_t)u - {}) * v", zero));
    words.emplace_back("PARAMETERS", "");
    e.call(e.source.kernel("binary", words, e.has_in(2) ? "dequantize_zero" : "dequantize"), arguments);
}

void emit_dynamic_quantize(Emit& e) {
    const std::string x = e.real_in(0), y = e.wants(0) ? e.out(0) : e.f.scratch(DType::u8, e.in_count(0));
    const std::string fn = e.source.kernel("quantize_dynamic", {{"Y", "uint8_t"}});
    e.f.statement("{");
    e.f.statement("    float scale;");
    e.f.statement("    int32_t zero;");
    e.f.statement(fmt::format("    {}({}, {}, {}, 0, 255, &scale, &zero);", fn, x, y, e.in_count(0)));
    if (e.wants(1)) e.f.statement(fmt::format("    {}[0] = scale;", e.out(1)));
    if (e.wants(2)) e.f.statement(fmt::format("    {}[0] = (uint8_t)zero;", e.out(2)));
    e.f.statement("}");
}

constexpr std::array quantized_table{
    EmitRow{Kind::real, "QuantizeLinear", emit_quantize},
    EmitRow{Kind::real, "DequantizeLinear", emit_dequantize},
    EmitRow{Kind::real, "DynamicQuantizeLinear", emit_dynamic_quantize},
};

}  // namespace

std::span<const EmitRow> quantized_rows() { return quantized_table; }

}  // namespace quern::cgen
