// What devices are asked about in place of the model as it was read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/format.h"
#include "libcore/graph/quantize.h"
#include "libcore/passes/pin.h"
#include "libcore/place/form.h"
#include "libcore/place/target.h"

namespace quern {

struct AskedModel {
    FixedInputs fixed;     // --shape, --pin
    std::string as;        // --as; "": i8 where only cpu takes floats
    bool in_form = false;  // the file is of the target's format: devices get what stands in it
};

// A copy of the model with fixed shapes, as if it were quantized if it is float and the target takes codes alone, in the form that the
// target's format gives it. What was assumed is told as notices.
class AskedForm {
   public:
    AskedForm(const Model& model, const place::Target& target, const AskedModel& question);

    Graph& graph() { return form_ ? form_->graph : plain_; }
    // The name that a node of the model goes by in graph(); `name` itself if there is none.
    std::string node_named(const std::string& name) const;
    // The devices of graph() to the nodes of the model.
    void give_devices(Graph& to);

   private:
    void bring_to_form(const Model& model, const AskedModel& question);
    void quantize(const place::Target& target, const std::string& as);
    void take_form(const Model& model, const place::Target& target);
    void fold();

    const place::Target& target_;
    Graph plain_;
    std::optional<place::Form> form_;
};

}  // namespace quern
