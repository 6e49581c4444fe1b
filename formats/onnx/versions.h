// When ONNX brought and changed its operators and element types: public facts of the standard, up to opset 28.
#pragma once

#include <string_view>

#include "libcore/graph/dtype.h"

namespace quern::onnx_format {

// The opset that brought an ai.onnx operator or an element type; 0 if the operator is not one of the standard.
int first_opset(std::string_view op);
int first_opset(DType dtype);
// The opset from which `op` takes an input 0 of this type.
int first_opset(std::string_view op, DType dtype);

// The opset whose definition of `op` holds at `opset`: two opsets with the same form mean the same. 0: it is not there.
int form_of(std::string_view op, int opset);

// The version of ai.onnx.ml that has its operator as quern does.
int ml_version(std::string_view op);

// The least IR version in which a model of `opset` is written.
int ir_version_of(int opset);

}  // namespace quern::onnx_format
