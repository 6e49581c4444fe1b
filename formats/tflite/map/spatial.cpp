// Operators over channels and space. Data stays channels-last; filters are brought to [M, kernel..., C / group].
#include <algorithm>
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tflite_format {
namespace {

bool same_padding(const Site& site) { return site.word("padding", "SAME") == "SAME"; }

Ints strides_of(const Site& site) {
    Ints strides{site.integer("stride_h"), site.integer("stride_w")};
    if (strides[0] < 1 || strides[1] < 1) throw bad_input("has strides {}", to_string(strides));
    return strides;
}

Attrs window_attrs(const Site& site) {
    Attrs attrs{{"layout", std::string("NHWC")}, {"strides", strides_of(site)}};
    if (same_padding(site)) attrs["auto_pad"] = std::string("SAME_UPPER");
    return attrs;
}

Attrs conv_attrs(const Site& site) {
    Attrs attrs = window_attrs(site);
    const Ints dilations{site.integer("dilation_h_factor", 1), site.integer("dilation_w_factor", 1)};
    if (dilations[0] < 1 || dilations[1] < 1) throw bad_input("has dilations {}", to_string(dilations));
    if (dilations != Ints{1, 1}) attrs["dilations"] = dilations;
    attrs["kernel_shape"] = Ints{site.tensor(1).shape.at(1), site.tensor(1).shape.at(2)};
    return attrs;
}

void need_rank(const Site& site, size_t input, size_t rank) {
    if (site.rank(input) != rank) throw bad_input("input {} is {}, need rank {}", input, to_string(site.tensor(input).shape), rank);
}

void put_group(Attrs& attrs, int64_t channels, int64_t taken) {
    if (taken < 1 || channels % taken != 0) throw bad_input("a filter of {} channels for data with {}", taken, channels);
    if (channels != taken) attrs["group"] = channels / taken;
}

bool conv_2d(Site& site) {
    need_rank(site, 0, 4);
    need_rank(site, 1, 4);
    if (site.dim(0, 3) < 0) return false;
    Attrs attrs = conv_attrs(site);
    put_group(attrs, site.dim(0, 3), site.tensor(1).shape[3]);
    site.result(ops::Conv, site.with_bias({site.in(0), site.in(1)}, site.tensor(1).shape[0]), attrs);
    return true;
}

// The filter is [1, kernel..., C * multiplier].
bool depthwise_conv_2d(Site& site) {
    need_rank(site, 0, 4);
    need_rank(site, 1, 4);
    const int64_t channels = site.dim(0, 3), made = site.tensor(1).shape[3];
    if (channels < 1) return false;
    if (site.tensor(1).shape[0] != 1 || made % channels != 0)
        throw bad_input("a filter {} for data with {} channels", to_string(site.tensor(1).shape), channels);
    Attrs attrs = conv_attrs(site);
    put_group(attrs, channels, 1);
    site.result(ops::Conv, site.with_bias({site.in(0), site.permuted(1, {3, 1, 2, 0})}, made), attrs);
    return true;
}

// The filter is [M, kernel..., C]. The output is as long as input 0 says, or as the file has declared it where that is computed.
bool transpose_conv(Site& site) {
    need_rank(site, 1, 4);
    need_rank(site, 2, 4);
    const FileTensor& declared = site.out_tensor();
    const Ints& lengths = declared.signature;  // the batch may be open
    const bool fixed = lengths.empty() || std::count(lengths.begin() + 1, lengths.end(), -1) == 0;
    const auto out = site.constant(0) || !fixed ? site.ints(0) : std::optional<Ints>(declared.shape);
    const Ints strides = strides_of(site), given{site.dim(2, 1), site.dim(2, 2)};
    if (!out || out->size() != 4 || given[0] < 0 || given[1] < 0) return false;
    Ints pads(4, 0), extra(2, 0), kernel(2);
    for (size_t i = 0; i < 2; ++i) {
        kernel[i] = site.tensor(1).shape[i + 1];
        const int64_t spare = (given[i] - 1) * strides[i] + kernel[i] - (*out)[i + 1];
        if (!same_padding(site) && spare > 0) throw bad_input("an output of {} without padding", (*out)[i + 1]);
        if (spare >= 0) {
            pads[i] = spare / 2;
            pads[i + 2] = spare - pads[i];
        } else {
            extra[i] = -spare;
        }
        if (extra[i] >= strides[i]) return false;
    }
    Attrs attrs{{"layout", std::string("NHWC")}, {"strides", strides}, {"kernel_shape", kernel}};
    if (pads != Ints(4, 0)) attrs["pads"] = pads;
    if (extra != Ints(2, 0)) attrs["output_padding"] = extra;
    site.result(ops::ConvTranspose, site.with_bias({site.in(2), site.permuted(1, {3, 1, 2, 0})}, site.tensor(1).shape[0]), attrs);
    return true;
}

Attrs pool_attrs(const Site& site) {
    Attrs attrs = window_attrs(site);
    const Ints kernel{site.integer("filter_height"), site.integer("filter_width")};
    if (kernel[0] < 1 || kernel[1] < 1) throw bad_input("has a window of {}", to_string(kernel));
    attrs["kernel_shape"] = kernel;
    return attrs;
}

template <bool mean>
bool pool(Site& site) {
    need_rank(site, 0, 4);
    site.result(mean ? ops::AveragePool : ops::MaxPool, {site.in(0)}, pool_attrs(site));
    return true;
}

bool l2_pool(Site& site) {
    need_rank(site, 0, 4);
    const ValueId x = site.in(0);
    site.result(ops::Sqrt, {site.add(ops::AveragePool, {site.add(ops::Mul, {x, x})}, pool_attrs(site))});
    return true;
}

// Sizes are those of height and width.
bool resize(Site& site, Attrs attrs) {
    need_rank(site, 0, 4);
    attrs["axes"] = Ints{1, 2};
    const bool corners = site.flag("align_corners"), centres = site.flag("half_pixel_centers");
    if (corners && centres) return false;
    attrs["coordinate_transformation_mode"] = std::string(corners ? "align_corners" : centres ? "half_pixel" : "asymmetric");
    site.result(ops::Resize, {site.in(0), ValueId::none, ValueId::none, site.as_i64(1)}, attrs);
    return true;
}

bool resize_bilinear(Site& site) { return resize(site, {{"mode", std::string("linear")}}); }

bool resize_nearest(Site& site) {
    const bool rounds = site.flag("align_corners") || site.flag("half_pixel_centers");
    return resize(site, {{"mode", std::string("nearest")}, {"nearest_mode", std::string(rounds ? "round_prefer_ceil" : "floor")}});
}

// Of a window of channels the sum is scaled, not the mean.
bool local_response(Site& site) {
    if (site.rank(0) != 4) return false;
    const int64_t size = 2 * site.integer("radius") + 1;
    if (size < 1) throw bad_input("has a radius of {}", site.integer("radius"));
    const Attrs attrs{{"layout", std::string("NHWC")},
                      {"size", size},
                      {"alpha", site.real("alpha") * static_cast<float>(size)},
                      {"beta", site.real("beta")},
                      {"bias", site.real("bias")}};
    site.result(ops::LRN, {site.in(0)}, attrs);
    return true;
}

template <const OpId& op>
bool channels_and_space(Site& site) {
    need_rank(site, 0, 4);
    const Ints dims = site.dims(0);
    if (std::any_of(dims.begin() + 1, dims.end(), [](int64_t dim) { return dim < 0; })) return false;
    return bind_result(site, decompose::channels_and_space(op, decompose::term(site), dims, site.integer("block_size"), true));
}

bool instance_norm(Site& site) {
    if (site.rank(0) != 4) return false;
    site.result(ops::InstanceNormalization, {site.in(0), site.in(1), site.in(2)},
                {{"epsilon", site.real("epsilon")}, {"layout", std::string("NHWC")}});
    return true;
}

constexpr std::array spatial_table{
    MapRow{Code::AVERAGE_POOL_2D, "AveragePool", pool<true>},
    MapRow{Code::CONV_2D, "Conv", conv_2d, "channels that are not fixed"},
    MapRow{Code::DEPTHWISE_CONV_2D, "Conv", depthwise_conv_2d, "channels that are not fixed"},
    MapRow{Code::DEPTH_TO_SPACE, "Reshape Transpose", channels_and_space<ops::DepthToSpace>, "shapes that are not fixed"},
    MapRow{Code::INSTANCE_NORM, "InstanceNormalization", instance_norm, "ranks other than 4"},
    MapRow{Code::L2_POOL_2D, "Mul AveragePool Sqrt", l2_pool},
    MapRow{Code::LOCAL_RESPONSE_NORMALIZATION, "LRN", local_response, "ranks other than 4"},
    MapRow{Code::MAX_POOL_2D, "MaxPool", pool<false>},
    MapRow{Code::RESIZE_BILINEAR, "Resize", resize_bilinear},
    MapRow{Code::RESIZE_NEAREST_NEIGHBOR, "Resize", resize_nearest},
    MapRow{Code::SPACE_TO_DEPTH, "Reshape Transpose", channels_and_space<ops::SpaceToDepth>, "shapes that are not fixed"},
    MapRow{Code::TRANSPOSE_CONV, "ConvTranspose", transpose_conv, "shapes that are not fixed"},
};

}  // namespace

std::span<const MapRow> spatial_rows() { return spatial_table; }

}  // namespace quern::tflite_format
