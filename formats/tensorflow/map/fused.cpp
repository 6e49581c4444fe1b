// Products as TensorFlow's own optimizer (grappler) writes them, with what follows joined to them.
#include <algorithm>
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "formats/tensorflow/map/window.h"
#include "libcore/passes/decompose/math.h"

namespace quern::tensorflow_format {
namespace {

struct Activation {
    std::string_view name;
    OpId ours;
};
constexpr std::array activations{Activation{"Relu", ops::Relu}, Activation{"Elu", ops::Elu}, Activation{"Tanh", ops::Tanh},
                                 Activation{"Sigmoid", ops::Sigmoid}};

// The operands behind the first two belong to what is joined, in order.
class Joined {
   public:
    Joined(Site& site, ValueId product) : site_(site), x_(product) {}

    std::optional<ValueId> with(const std::vector<std::string>& names) {
        for (const std::string& op : names)
            if (!add(op)) return std::nullopt;
        return x_;
    }

   private:
    bool add(const std::string& op) {
        const auto named = std::ranges::find(activations, op, &Activation::name);
        if (named != activations.end())
            x_ = site_.add(named->ours, {x_});
        else if (op == "BiasAdd")
            x_ = site_.add(ops::Add, {x_, beside(site_, site_.in(next_++), site_.type_of(x_).shape.rank())});
        else if (op == "Relu6")
            x_ = decompose::between<0, 6>({&site_, x_});
        else if (op == "LeakyRelu")
            x_ = site_.add(ops::LeakyRelu, {x_}, {{"alpha", static_cast<float>(site_.real("leakyrelu_alpha", 0.2))}});
        else if (op == "GeluExact" || op == "GeluApproximate")
            x_ = site_.add(ops::Gelu, {x_}, {{"approximate", std::string(op == "GeluExact" ? "none" : "tanh")}});
        else if (op == "FusedBatchNorm")
            normalize();
        else
            return false;
        return true;
    }
    void normalize() {
        Attrs attrs{{"epsilon", static_cast<float>(site_.real("epsilon", 1e-4))}};
        if (channels_last(site_)) attrs["layout"] = std::string("NHWC");
        x_ =
            site_.add(ops::BatchNormalization, {x_, site_.in(next_), site_.in(next_ + 1), site_.in(next_ + 2), site_.in(next_ + 3)}, attrs);
        next_ += 4;
    }

    Site& site_;
    ValueId x_;
    size_t next_ = 2;
};

bool fused(Site& site, const std::optional<ValueId>& product) {
    const auto* names = site.of().attr<std::vector<std::string>>("fused_ops");
    if (!product || !names || site.type_of(*product).dtype == DType::none) return false;
    const auto made = Joined(site, *product).with(*names);
    return made && give(site, *made);
}

template <bool depthwise>
bool convolution(Site& site) {
    return fused(site, convolved(site, site.in(0), {}, depthwise));
}
bool matmul(Site& site) { return fused(site, multiplied(site, "transpose_a", "transpose_b")); }

constexpr std::array fused_table{
    MapRow{"_FusedConv2D", "Conv Add BatchNormalization and activations", convolution<false>},
    MapRow{"_FusedDepthwiseConv2dNative", "Conv Add BatchNormalization and activations", convolution<true>},
    MapRow{"_FusedMatMul", "MatMul Add and activations", matmul},
};

}  // namespace

std::span<const MapRow> fused_rows() { return fused_table; }

}  // namespace quern::tensorflow_format
