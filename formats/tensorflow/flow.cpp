#include "formats/tensorflow/flow.h"

namespace quern::tensorflow_format {

std::shared_ptr<const Flow> flow_of(const NodeGraph&) { return nullptr; }

}  // namespace quern::tensorflow_format
