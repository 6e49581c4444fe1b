#include "tools/place/asked.h"

#include "formats/tflite/form.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/quantize.h"
#include "libcore/graph/short_floats.h"
#include "libcore/passes/onnx/fold_interface.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"
#include "libcore/place/as_quantized.h"

namespace quern {

AskedForm::AskedForm(const Model& model, const place::Target& target, const AskedModel& question) : target_(target), plain_(model.graph) {
    fix_inputs(plain_, question.fixed);
    std::optional<Graph> open;
    if (has_open_dims(plain_)) open = plain_;
    try {
        for (const std::string& line : take_open_dims_as_one(plain_, OpenDims::all)) notice(line);
        bring_to_form(model, question);
    } catch (const Error& error) {
        if (error.exit() != Exit::bad_input || !open) throw;
        plain_ = std::move(*open);
        form_.reset();
        notice(fmt::format("open dims cannot be taken as 1, so they stay open (--shape fixes them): {}", error.message()));
        bring_to_form(model, question);
    }
}

void AskedForm::bring_to_form(const Model& model, const AskedModel& question) {
    quantize(target_, question.as);
    if (!target_.format.empty() && !question.in_form) take_form(model, target_);
    if (!form_ && target_.devices.size() > 1) fold();
}

// What is computed from constants and fixed shapes alone is a constant when it comes to a device; inputs and outputs are as they are
// stored.
void AskedForm::fold() {
    Graph folded = plain_;
    const int ends = fold_interface(folded);
    if (ends > 0) infer_types(folded);
    if (run_pipeline(folded, pipelines::placed) + ends > 0) form_.emplace(plain_, std::move(folded));
}

void AskedForm::quantize(const place::Target& target, const std::string& as) {
    if (as == "float" || has_codes(plain_) || (as.empty() && (target.devices.size() == 1 || place::takes_floats(target)))) return;
    const std::string type = place::type_for(target, as);
    notice(fmt::format("no value is encoded: devices are asked as if the model were quantized to {}; --as sets another type", type));
    plain_ = place::as_quantized(plain_, target, type);
}

void AskedForm::take_form(const Model& model, const place::Target& target) {
    try {
        Model copy;
        copy.graph = plain_;
        copy.lineage = model.lineage;
        form_.emplace(plain_, tflite_format::form_of(copy, target.format));
    } catch (const Error& error) {
        if (error.exit() != Exit::unsupported) throw;
        notice(fmt::format("no file of format {} can say this model, so devices are asked about it as it is: {}", target.format,
                           error.message()));
    }
}

std::string AskedForm::node_named(const std::string& name) const { return form_ ? form_->node_named(plain_, name) : name; }

void AskedForm::give_devices(Graph& to) {
    if (form_) form_->give_devices(plain_, target_);
    place::take_devices(plain_, to);
}

}  // namespace quern
