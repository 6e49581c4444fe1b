// Spectra and angles. Complex numbers between operators are pairs along a last dim of 2.
#include <algorithm>
#include <array>
#include <numbers>

#include "formats/tflite/map/map.h"

namespace quern::tflite_format {
namespace {

bool takes_pairs(const FileOperator& op) { return op.code == Code::REAL || op.code == Code::IMAG || op.code == Code::COMPLEX_ABS; }

// Nobody else may see a value whose type is not the file's.
bool only_pairs_are_read(const Site& site, int64_t tensor) {
    const Subgraph& graph = site.scope().from;
    const auto names = [&](const Ints& list) { return std::find(list.begin(), list.end(), tensor) != list.end(); };
    return !names(graph.outputs) && std::all_of(graph.operators.begin(), graph.operators.end(),
                                                [&](const FileOperator& op) { return takes_pairs(op) || !names(op.in); });
}

// The last two dims, cut or filled up with zeros to the wanted lengths.
bool rfft2d(Site& site) {
    const auto lengths = site.ints(1);
    const size_t rank = site.rank(0);
    if (!lengths || lengths->size() != 2 || rank < 2 || site.dtype(0) != DType::f32 || !only_pairs_are_read(site, site.op().out.at(0)))
        return false;
    const auto last = static_cast<int64_t>(rank) - 1;
    const ValueId x = site.node(ops::Unsqueeze, {site.in(0), site.numbers("pair", {-1})});
    const auto length = [&](size_t i) { return site.constant("length", Tensor::scalar((*lengths)[i])); };
    const auto axis = [&](int64_t item) { return site.constant("axis", Tensor::scalar(item)); };
    const ValueId rows = site.node(ops::DFT, {x, length(1), axis(last)}, {{"onesided", int64_t{1}}});
    site.add(ops::DFT, {rows, length(0), axis(last - 1)}, {site.out_value(0)});
    return true;
}

// The pairs that input 0 stands for, or none if it is a complex number.
ValueId pairs(Site& site) {
    const ValueId x = site.in(0);
    return site.graph().value(x).type.dtype == DType::none ? x : ValueId::none;
}

template <int64_t part>
bool part_of(Site& site) {
    const ValueId x = pairs(site);
    if (x == ValueId::none) return false;
    site.add(ops::Gather, {x, site.constant("part", Tensor::scalar(part))}, {site.out_value(0)}, {{"axis", int64_t{-1}}});
    return true;
}

bool magnitude(Site& site) {
    const ValueId x = pairs(site);
    if (x == ValueId::none) return false;
    site.add(ops::ReduceL2, {x, site.numbers("pair", {-1})}, {site.out_value(0)}, {{"keepdims", int64_t{0}}});
    return true;
}

// atan(y / x), turned by half a circle where x is negative, to the side of y; a quarter where x is 0. The sign of y counts even of 0.
bool atan2(Site& site) {
    const DType dtype = site.dtype(0);
    if (dtype != DType::f32 && dtype != DType::f64) return false;
    constexpr float pi = std::numbers::pi_v<float>;
    const ValueId y = site.in(0), x = site.in(1), zero = site.number("zero", 0, dtype);
    const auto below = [&](ValueId id) {
        return site.node(ops::Or, {site.node(ops::Less, {id, zero}), site.node(ops::Less, {site.node(ops::Reciprocal, {id}), zero})});
    };
    const ValueId down = below(y);
    const auto by_side = [&](std::string_view what, float angle) {
        return site.node(ops::Where, {down, site.number(what, -angle, dtype), site.number(what, angle, dtype)});
    };
    const ValueId slope = site.node(ops::Atan, {site.node(ops::Div, {y, x})});
    const ValueId turned = site.node(ops::Where, {below(x), site.node(ops::Add, {slope, by_side("half", pi)}), slope});
    const ValueId flat = site.node(ops::Where, {below(x), by_side("back", pi), by_side("ahead", 0)});
    const ValueId upright = by_side("quarter", pi / 2);
    const ValueId y_none = site.node(ops::Equal, {y, zero}), x_none = site.node(ops::Equal, {x, zero});
    const ValueId angle = site.node(ops::Where, {x_none, upright, turned});
    site.add(ops::Where, {y_none, flat, angle}, {site.out_value(0)});
    return true;
}

constexpr std::array spectrum_table{
    MapRow{Code::ATAN2, "Atan Where", atan2, "whole numbers"},
    MapRow{Code::COMPLEX_ABS, "ReduceL2", magnitude, "complex numbers that are not an RFFT2D's"},
    MapRow{Code::IMAG, "Gather", part_of<1>, "as COMPLEX_ABS"},
    MapRow{Code::REAL, "Gather", part_of<0>, "as COMPLEX_ABS"},
    MapRow{Code::RFFT2D, "Unsqueeze DFT", rfft2d,
           "lengths that are computed; a result that is not only read by REAL, IMAG and COMPLEX_ABS"},
};

}  // namespace

std::span<const MapRow> spectrum_rows() { return spectrum_table; }

}  // namespace quern::tflite_format
