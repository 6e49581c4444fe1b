#include "libcore/ort/provider.h"

#include <array>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/ort/chips.h"

namespace quern::ort {
namespace {

#ifdef __x86_64__
constexpr bool emulates_htp = true;
#else
constexpr bool emulates_htp = false;
#endif

std::string only(std::string_view text) {
    if (text != "only") throw usage_error("prepare={}: need only", escape(text));
    return "1";
}

constexpr std::array qnn_spellings{
    Spelling{"soc", "soc_model",
             "the chip: SM8650, Snapdragon 8 Gen 3, or QNN's number of it, 57; without one QNN prepares for its oldest (v68)", soc_model},
    Spelling{"arch", "htp_arch", "of the HTP: 68, 69, 73, 75, 79, 81 (default: the chip's)"},
    Spelling{"vtcm", "vtcm_mb", "megabytes of fast memory that graphs may use (default: all)"},
    Spelling{"optimize", "htp_graph_finalization_optimization_mode", "how long QNN tries to find a faster graph: 0 to 3 (default: 0)"},
    Spelling{"prepare", "enable_htp_prepare_only", "only: graphs are prepared and cannot run here, for what is compiled (default: both)",
             only},
    Spelling{"performance", "htp_performance_mode", "burst, balanced, power_saver and others of QNN's (default: default)"},
};
// Q and DQ at the edges go with the graph: on the processor they would be nodes that the provider did not take.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> qnn_defaults{
    {{"backend_type", "htp"}, {"offload_graph_io_quantization", "0"}}};

constexpr std::array openvino_spellings{
    Spelling{"device", "device_type", "CPU, GPU, NPU (default: OpenVINO's choice)"},
};

constexpr std::array cuda_spellings{
    Spelling{"gpu", "device_id", "which GPU (default: 0)"},
};

constexpr std::array rows{
    Provider{.name = "cpu", .own = "CPUExecutionProvider", .doc = "onnxruntime's kernels for this machine's processor", .device = "cpu"},
    Provider{.name = "qnn",
             .own = "QNNExecutionProvider",
             .library = "libonnxruntime_providers_qnn.so",
             .package = "onnxruntime_qnn",
             .doc = emulates_htp ? "Qualcomm's HTP, emulated" : "Qualcomm's HTP",
             .spellings = qnn_spellings,
             .needed = "soc",
             .device = "qnn,soc=57",
             .defaults = qnn_defaults,
             .contexts = true,
             .writes_dlc = true,
             .simulated = emulates_htp},
    Provider{.name = "openvino",
             .own = "OpenVINOExecutionProvider",
             .library = "libonnxruntime_providers_openvino.so",
             .package = "onnxruntime_ep_openvino",
             .doc = "OpenVINO: processors, GPUs and NPUs of Intel",
             .spellings = openvino_spellings,
             .device = "openvino",
             .contexts = true},
    Provider{.name = "cuda", .own = "CUDAExecutionProvider", .doc = "NVIDIA's GPUs", .spellings = cuda_spellings, .device = "cuda"},
};

}  // namespace

std::span<const Provider> providers() { return rows; }

const Provider& provider_named(std::string_view name) {
    std::vector<std::string> names;
    for (const Provider& row : rows) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    throw usage_error("execution provider \"{}\" is unknown{}", escape(name), did_you_mean(name, names))
        .with_hint("there are " + join(names, ", "));
}

}  // namespace quern::ort
