// Rows of front ends that are a function of this folder. A front end's site says what the operands are, in the type that the operator
// computes in, and takes the result.
#pragma once

#include "libcore/passes/decompose/movement.h"

namespace quern::decompose {

template <class Site>
Term term(Site& site, size_t i = 0) {
    return {&site, site.operand(i)};
}
template <class Site>
Numbers numbers(Site& site, size_t i) {
    return {site.ints(i), [&site, i] { return site.as_i64(i); }};
}

// The result, if there is one; what it is not, is kept.
template <class Site>
bool bind_result(Site& site, const std::optional<Term>& made) {
    if (made) site.bind(*made);
    return made.has_value();
}
template <class Site>
bool bind_result(Site& site, const std::vector<ValueId>& made) {
    for (size_t i = 0; i < made.size(); ++i) site.bind(made[i], i);
    return true;
}

template <auto function, class Site>
bool composed(Site& site) {
    if constexpr (requires(const Term& x) { function(x); })
        return bind_result(site, function(term(site)));
    else
        return bind_result(site, function(term(site, 0), term(site, 1)));
}

template <class Site>
SliceMasks slice_masks(const Site& site) {
    const auto mask = [&](std::string_view name) { return site.integer(name, 0); };
    return {mask("begin_mask"), mask("end_mask"), mask("ellipsis_mask"), mask("new_axis_mask"), mask("shrink_axis_mask")};
}

}  // namespace quern::decompose
