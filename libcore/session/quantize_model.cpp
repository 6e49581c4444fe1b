#include "libcore/session/quantize_model.h"

#include "libcore/ops/integer/profile.h"
#include "libcore/passes/make_gemm.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"
#include "libcore/quant/joined.h"
#include "libcore/quant/norm_parts.h"
#include "libcore/quant/spell.h"

namespace quern {

void choose_recipe(QuantOptions& options, const Graph& graph, std::string_view format) {
    if (format == "tflite") {
        options.recipe = &recipe_named("tflite");
        options.block = 0;  // its reference kernels know no blocks
    }
    options.for_products_runtime = format == "circle";
    options.half_scales = format == "tflite" || format == "circle";
    if (format == "circle" || (own_profile_name(graph) == "tflite" && format != "onnx")) options.usual = &recipe_named("tflite");
}

namespace {

// What those files say by FULLY_CONNECTED is computed by its rounding here, too.
void make_products(Graph& graph) {
    for_each_graph(graph, [](Graph& part, const std::string&) { make_gemms(part, Products::on_codes); });
    infer_types(graph);
}

}  // namespace

QuantReport quantize_model(Model& model, const Ranges* ranges, const QuantOptions& options, ThreadPool& pool,
                           const std::string& overrides_place) {
    if (!ranges && options.scheme->full()) throw usage_error("type {} needs ranges", options.scheme->name);
    // Overrides may name what passes fuse away (such are said to be unapplied) and what they make.
    std::vector<std::string> names = options.overrides ? value_keys(model.graph) : std::vector<std::string>();
    run_pipeline(model.graph, pipelines::quantizer);
    std::optional<Ranges> more;  // with those of the parts
    QuantOptions own = options;
    own.keep_float.merge(kept_float(model.graph));
    if (ranges && own.scheme->full() && &recipe_of(*own.scheme, own) == &recipe_named("tflite")) {
        more = *ranges;
        join_gelu(model.graph, own);
        spell_norms(model.graph, *ranges, own);
        spell_out(model.graph, *more, own);
        ranges = &*more;
    }
    QuantReport report = quantize_graph(model.graph, ranges, own, pool);
    if (own.scheme->full() && &recipe_of(*own.scheme, own) == &recipe_named("tflite")) make_products(model.graph);
    if (options.overrides) {
        const std::vector<std::string> made = value_keys(model.graph);
        names.insert(names.end(), made.begin(), made.end());
        at_place(overrides_place, [&] { check_overrides(*options.overrides, std::move(names)); });
    }
    report.lineage = model.lineage;
    model.facts.erase("ranges");
    verify(model.graph);
    return report;
}

}  // namespace quern
