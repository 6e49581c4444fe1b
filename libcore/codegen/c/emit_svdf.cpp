// SVDF in float32, with int8 filters (hybrid), and on codes by the profile tflite.
#include <fmt/format.h>

#include <array>

#include "libcore/codegen/c/recurrent.h"
#include "libcore/ops/integer/tflite_svdf.h"
#include "libcore/ops/recurrent/tflite_hybrid_recurrent.h"
#include "libcore/ops/shared/svdf.h"

namespace quern::cgen {
namespace {

namespace svdf = svdf_operands;

SvdfSizes svdf_case(Emit& e) {
    const SvdfSizes s = svdf_sizes({e.in_dims(0), e.in_dims(svdf::filters_at), e.in_dims(svdf::times_at), e.in_dims(svdf::state_at)},
                                   e.view.integer("rank"));
    need_count(e, svdf::bias_at, s.units());
    return s;
}

// On real numbers, with the filters' sums in `fresh`.
void emit_real_units(Emit& e, const SvdfSizes& s, const std::string& fresh) {
    const std::string times = e.real_in(svdf::times_at), bias = e.has_in(svdf::bias_at) ? e.real_in(svdf::bias_at) : "0",
                      memory = state(e, svdf::state_at, 1, s.batch * s.filters * s.memory);
    e.call(e.source.kernel("real_units"),
           {fresh, times, bias, memory, e.real_out(0), text_of(s.batch), text_of(s.filters), text_of(s.memory), text_of(s.rank)});
}

void emit_real_svdf(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const SvdfSizes s = svdf_case(e);
    const std::string fresh = e.f.scratch(DType::f32, s.batch * s.filters), x = e.real_in(0), filters = e.real_in(1);
    e.call(e.source.kernel("real_features"), {x, filters, fresh, text_of(s.batch), text_of(s.filters), text_of(s.input)});
    emit_real_units(e, s, fresh);
}

void emit_hybrid_svdf(Emit& e) {
    const SvdfSizes s = svdf_case(e);
    const Rounding rounding = rounding_of(e);
    const std::string fresh = e.f.scratch(DType::f32, s.batch * s.filters), codes = e.f.scratch(rounding.storage(), s.input),
                      scales = e.source.numbers<float>(row_scales(*e.in_encoding(svdf::filters_at), s.filters), e.label("scale"));
    e.call(coded_rows_kernel(e, "hybrid_features", rounding),
           {e.in(0), e.in(svdf::filters_at), scales, codes, fresh, text_of(s.batch), text_of(s.filters), text_of(s.input)});
    emit_real_units(e, s, fresh);
}

void emit_svdf_codes(Emit& e) {
    const SvdfSizes s = svdf_case(e);
    const svdf_t sizes = svdf_parameters(s, {e.in_encoding(0), e.in_encoding(svdf::filters_at), e.in_encoding(svdf::times_at),
                                             e.in_encoding(svdf::state_at), e.out_encoding()});
    const int64_t count = s.batch * s.filters * s.memory;
    const std::string fresh = e.f.scratch(DType::i16, s.batch * s.filters), memory = e.f.scratch(DType::i16, count),
                      bias = e.has_in(svdf::bias_at)
                                 ? e.in(svdf::bias_at)
                                 : e.source.numbers<int32_t>(std::vector<int32_t>(static_cast<size_t>(s.units())), e.label("bias")),
                      t = e.source.parameters("svdf_t", sizes, e.label("shape"));
    e.source.need_memory();
    e.f.statement(fmt::format("memcpy({}, {}, {});", memory, e.in(svdf::state_at), 2 * count));
    e.call(e.source.kernel("svdf_features"), {e.in(0), e.in(svdf::filters_at), fresh, t});
    e.call(e.source.kernel("svdf_units"), {fresh, e.in(svdf::times_at), bias, memory, e.out(), t});
    give_state(e, 1, svdf::state_at, memory, count);
}

void emit_profile_svdf(Emit& e) { e.in_encoding(0) ? emit_svdf_codes(e) : emit_hybrid_svdf(e); }

constexpr std::array svdf_table{
    EmitRow{Kind::real, "SVDF", emit_real_svdf, "quern"},
    EmitRow{Kind::profile, "SVDF", emit_profile_svdf, "quern"},
};

}  // namespace

std::span<const EmitRow> svdf_rows() { return svdf_table; }

}  // namespace quern::cgen
