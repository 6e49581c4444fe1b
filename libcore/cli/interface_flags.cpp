#include "libcore/cli/interface_flags.h"

namespace quern {

void InterfaceFlags::add(Options& add) {
    add.choice(request_.both, "--io", interface_types,
               "how an ONNX, TFLite or Circle file stores inputs and outputs (default: as encoded, in ONNX as they are)");
    add.choice(request_.input, "--input-type", interface_types, "the same of inputs alone (default: as --io)");
    add.choice(request_.output, "--output-type", interface_types, "the same of outputs alone (default: as --io)");
}

}  // namespace quern
