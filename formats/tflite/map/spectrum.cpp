// Spectra and angles. Complex numbers between operators are pairs along a last dim of 2.
#include <algorithm>
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/passes/decompose/math.h"
#include "libcore/passes/decompose/row.h"

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
    const ValueId x = site.add(ops::Unsqueeze, {site.in(0), site.integers({-1}, "pair")});
    const auto length = [&](size_t i) { return site.constant(Tensor::scalar((*lengths)[i]), "length"); };
    const auto axis = [&](int64_t item) { return site.constant(Tensor::scalar(item), "axis"); };
    const ValueId rows = site.add(ops::DFT, {x, length(1), axis(last)}, {{"onesided", int64_t{1}}});
    site.put(ops::DFT, {rows, length(0), axis(last - 1)}, {site.out_value(0)});
    return true;
}

// The pairs that input 0 stands for, or none if it is a complex number.
ValueId pairs(Site& site) {
    const ValueId x = site.in(0);
    return is_float(site.type_of(x).dtype) ? x : ValueId::none;
}

template <int64_t part>
bool part_of(Site& site) {
    const ValueId x = pairs(site);
    if (x == ValueId::none) return false;
    site.put(ops::Gather, {x, site.constant(Tensor::scalar(part), "part")}, {site.out_value(0)}, {{"axis", int64_t{-1}}});
    return true;
}

bool magnitude(Site& site) {
    const ValueId x = pairs(site);
    if (x == ValueId::none) return false;
    site.put(ops::ReduceL2, {x, site.integers({-1}, "pair")}, {site.out_value(0)}, {{"keepdims", int64_t{0}}});
    return true;
}

bool atan2(Site& site) { return is_float(site.dtype(0)) && decompose::composed<decompose::atan2>(site); }

constexpr std::array spectrum_table{
    MapRow{Code::ATAN2, "Atan Div Where", atan2, "whole numbers"},
    MapRow{Code::COMPLEX_ABS, "ReduceL2", magnitude, "complex numbers that are not an RFFT2D's"},
    MapRow{Code::IMAG, "Gather", part_of<1>, "as COMPLEX_ABS"},
    MapRow{Code::REAL, "Gather", part_of<0>, "as COMPLEX_ABS"},
    MapRow{Code::RFFT2D, "Unsqueeze DFT", rfft2d,
           "lengths that are computed; a result that is not only read by REAL, IMAG and COMPLEX_ABS"},
};

}  // namespace

std::span<const MapRow> spectrum_rows() { return spectrum_table; }

}  // namespace quern::tflite_format
