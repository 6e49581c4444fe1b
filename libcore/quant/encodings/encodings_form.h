// Forms of files of encodings, one row each: the versions of AIMET (encodings_json.h), and those of others.
//
// "ort": TensorQuantOverrides of onnxruntime.quantization, {name: [{"quant_type", "scale", "zero_point", "axis"}, one each channel]}. Zero
// points are in the range of the type itself. Biases have no entry: their scale is that of the input times that of the weight.
//
// "tensorrt": calibration caches of TensorRT, a line "TRT-VERSION-CALIBRATOR", then lines "name: SCALE", the bits of a float32 in
// hexadecimal, the highest first. Activations alone, symmetric int8: the greatest number is 127 times the scale.
//
// "qnn": quant_params of the _net.json of QNN's converters, {"graph": {"tensors": {name: {"data_type", "quant_params": {"definition",
// "encoding", "scale_offset"}}}}} (encodings_qnn.h has the members); offset = -zero, of codes as they are stored. Only this is written,
// no graph, in the model's own layout.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/quant/encodings/encoding_entry.h"
#include "libcore/quant/types/overrides.h"

namespace quern {

class JsonView;

struct EncodingsForm {
    using Sink = std::function<void(std::string_view text)>;
    std::string_view name;
    std::string (*unsaid)(const EncodingEntry& entry);  // what of an encoding the form has no way to say; "": nothing
    bool (*implied)(const EncodingEntry& entry);        // is not listed, as those who read the form find it by themselves
    void (*put)(const std::vector<EncodingEntry>& entries, const Sink& to);
};

void put_ort_overrides(const std::vector<EncodingEntry>& entries, const EncodingsForm::Sink& to);
std::string unsaid_by_ort(const EncodingEntry& entry);
bool implied_by_ort(const EncodingEntry& entry);
inline constexpr EncodingsForm ort_form{"ort", unsaid_by_ort, implied_by_ort, put_ort_overrides};

void put_calibration_cache(const std::vector<EncodingEntry>& entries, const EncodingsForm::Sink& to);
std::string unsaid_by_tensorrt(const EncodingEntry& entry);
bool implied_by_tensorrt(const EncodingEntry& entry);
inline constexpr EncodingsForm tensorrt_form{"tensorrt", unsaid_by_tensorrt, implied_by_tensorrt, put_calibration_cache};

void put_qnn_graph(const std::vector<EncodingEntry>& entries, const EncodingsForm::Sink& to);
std::string unsaid_by_qnn(const EncodingEntry& entry);
bool implied_by_qnn(const EncodingEntry& entry);
inline constexpr EncodingsForm qnn_form{"qnn", unsaid_by_qnn, implied_by_qnn, put_qnn_graph};

// Lists of objects under the names of tensors, or such a document under "TensorQuantOverrides"?
bool is_ort_overrides(const JsonView& json);
// Throws Exit::bad_input naming the place, Exit::unsupported for "convert", "reduce_range" without a range, "axis" without scales and
// types that are left to the call.
Overrides parse_ort_overrides(const JsonView& json);

bool is_calibration_cache(std::string_view text);
// Throws Exit::bad_input naming the line. Scales of layers that TensorRT has made itself are left out, with a notice.
Overrides parse_calibration_cache(std::string_view text);

bool is_qnn_graph(const JsonView& json);
// Blocks whose layout is not said and codes of odd bits are left out, and named in a notice. Throws Exit::bad_input naming the place.
Overrides parse_qnn_graph(const JsonView& json);

// A scale of a file; throws Exit::bad_input unless it is a finite float32 above 0.
float scale_at(const JsonView& json);
// A boolean, which AIMET spells "True" and "False".
bool truth_at(const JsonView& json);
// An integer of at most 32 bits, which some writers spell "-128.0".
int64_t whole_at(const JsonView& json);
void check_zero(const JsonView& place, DType storage, int64_t zero);  // throws Exit::bad_input outside of the type's range

}  // namespace quern
