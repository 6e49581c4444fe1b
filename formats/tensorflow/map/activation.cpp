// Activations: most are one of ours with other defaults.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/passes/decompose/math.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tensorflow_format {
namespace {

bool leaky_relu(Site& site) {
    return give(site, site.add(ops::LeakyRelu, {site.in(0)}, {{"alpha", static_cast<float>(site.real("alpha", 0.2))}}));
}
template <const OpId& op>
bool softmax(Site& site) {
    return give(site, site.add(op, {site.in(0)}, {{"axis", int64_t{-1}}}));
}

constexpr std::array activation_table{
    MapRow{"Elu", "Elu", direct<ops::Elu>},
    MapRow{"LeakyRelu", "LeakyRelu", leaky_relu},
    MapRow{"LogSoftmax", "LogSoftmax", softmax<ops::LogSoftmax>},
    MapRow{"Relu", "Relu", direct<ops::Relu>},
    MapRow{"Relu6", "Clip", decompose::composed<decompose::between<0, 6>>},
    MapRow{"Selu", "Selu", direct<ops::Selu>},
    MapRow{"Sigmoid", "Sigmoid", direct<ops::Sigmoid>},
    MapRow{"Softmax", "Softmax", softmax<ops::Softmax>},
    MapRow{"Softplus", "Softplus", direct<ops::Softplus>},
    MapRow{"Softsign", "Softsign", direct<ops::Softsign>},
    MapRow{"Tanh", "Tanh", direct<ops::Tanh>},
};

}  // namespace

std::span<const MapRow> activation_rows() { return activation_table; }

}  // namespace quern::tensorflow_format
