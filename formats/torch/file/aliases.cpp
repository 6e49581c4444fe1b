// Names of torch's operators: written by scripts/torch-aliases from the registry of torch 2.15.0.
#include "formats/torch/file/aliases.h"

#include <array>

namespace quern::torch_format {
namespace {

constexpr std::array alias_table{
    Alias{"aten.absolute", "aten.abs", ""},
    Alias{"aten.arccos", "aten.acos", ""},
    Alias{"aten.arccosh", "aten.acosh", ""},
    Alias{"aten.arcsin", "aten.asin", ""},
    Alias{"aten.arcsinh", "aten.asinh", ""},
    Alias{"aten.arctan", "aten.atan", ""},
    Alias{"aten.arctan2", "aten.atan2", ""},
    Alias{"aten.arctanh", "aten.atanh", ""},
    Alias{"aten.greater", "aten.gt", ""},
    Alias{"aten.greater_equal", "aten.ge", ""},
    Alias{"aten.less", "aten.lt", ""},
    Alias{"aten.less_equal", "aten.le", ""},
    Alias{"aten.linalg_diagonal", "aten.diagonal", "self=A dim1:-2 dim2:-1"},
    Alias{"aten.linalg_matmul", "aten.matmul", ""},
    Alias{"aten.matrix_exp", "aten.linalg_matrix_exp", ""},
    Alias{"aten.multiply", "aten.mul", ""},
    Alias{"aten.negative", "aten.neg", ""},
    Alias{"aten.not_equal", "aten.ne", ""},
    Alias{"aten.special_digamma", "aten.digamma", ""},
    Alias{"aten.special_erf", "aten.erf", ""},
    Alias{"aten.special_erfc", "aten.erfc", ""},
    Alias{"aten.special_erfinv", "aten.erfinv", ""},
    Alias{"aten.special_exp2", "aten.exp2", ""},
    Alias{"aten.special_expit", "aten.sigmoid", ""},
    Alias{"aten.special_expm1", "aten.expm1", ""},
    Alias{"aten.special_gammainc", "aten.igamma", ""},
    Alias{"aten.special_gammaincc", "aten.igammac", ""},
    Alias{"aten.special_gammaln", "aten.lgamma", ""},
    Alias{"aten.special_i0", "aten.i0", ""},
    Alias{"aten.special_log1p", "aten.log1p", ""},
    Alias{"aten.special_log_softmax.default", "aten.log_softmax.int", ""},
    Alias{"aten.special_logit", "aten.logit", ""},
    Alias{"aten.special_logsumexp", "aten.logsumexp", ""},
    Alias{"aten.special_multigammaln", "aten.mvlgamma", ""},
    Alias{"aten.special_polygamma", "aten.polygamma", ""},
    Alias{"aten.special_psi", "aten.digamma", ""},
    Alias{"aten.special_round.default", "aten.round.decimals", "decimals:0"},
    Alias{"aten.special_sinc", "aten.sinc", ""},
    Alias{"aten.special_softmax.default", "aten.softmax.int", ""},
    Alias{"aten.special_xlogy.default", "aten.xlogy.Tensor", ""},
    Alias{"aten.special_xlogy.other_scalar", "aten.xlogy.Scalar_Other", ""},
    Alias{"aten.special_xlogy.self_scalar", "aten.xlogy.Scalar_Self", ""},
};

constexpr std::array<std::string_view, 37> helped{
    "aten.addr",
    "aten.bernoulli",
    "aten.binary_cross_entropy",
    "aten.binary_cross_entropy_with_logits",
    "aten.choose_qparams_optimized",
    "aten.cross_entropy_loss",
    "aten.cumulative_trapezoid",
    "aten.diagflat",
    "aten.fft_fftshift",
    "aten.fft_ifftshift",
    "aten.gradient",
    "aten.hinge_embedding_loss",
    "aten.isclose",
    "aten.isreal",
    "aten.kl_div",
    "aten.linalg_matrix_power",
    "aten.linalg_vander",
    "aten.logaddexp2",
    "aten.margin_ranking_loss",
    "aten.matrix_power",
    "aten.multilabel_margin_loss",
    "aten.multilabel_margin_loss_forward",
    "aten.mvlgamma",
    "aten.nanmean",
    "aten.nanquantile",
    "aten.norm_except_dim",
    "aten.pad_sequence",
    "aten.poisson_nll_loss",
    "aten.renorm",
    "aten.soft_margin_loss",
    "aten.special_multigammaln",
    "aten.special_ndtr",
    "aten.sum_to_size",
    "aten.trapezoid",
    "aten.trapz",
    "aten.triplet_margin_loss",
    "aten.vander",
};

}  // namespace

std::span<const Alias> aliases() { return alias_table; }

std::span<const std::string_view> helped_by_decomposition() { return helped; }

}  // namespace quern::torch_format
