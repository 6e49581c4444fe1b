// What a model carries beside its graph: lineage, embedded facts, and the texts of the ONNX model, as metadata properties.
#pragma once

#include "formats/shared/format.h"

namespace quern::onnx {
class Model;
}

namespace quern::onnx_format {

// The property with the session options that onnxruntime needs for a file: it is the file's, and made anew when one is written.
inline constexpr std::string_view session_options_key = "quern.session_options";

// Properties "quern.lineage" and "quern.facts.<kind>" become fields of Model; the model's producer, domain, version and description
// become graph metadata "onnx.producer", "onnx.domain", "onnx.model_version", "onnx.doc_string".
void take_metadata(const onnx::Model& message, Model& model);
void put_metadata(const Model& model, onnx::Model& message);

}  // namespace quern::onnx_format
