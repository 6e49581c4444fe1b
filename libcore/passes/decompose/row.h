// Rows of front ends that are a function of this folder. A front end's site says what the operands are, in the type that the operator
// computes in, and takes the result.
#pragma once

#include "libcore/passes/decompose/terms.h"

namespace quern::decompose {

template <auto function, class Site>
bool composed(Site& site) {
    if constexpr (requires(const Term& x) { function(x); }) {
        site.bind(function(Term{&site, site.operand(0)}));
    } else {
        const Term a{&site, site.operand(0)}, b{&site, site.operand(1)};
        site.bind(function(a, b));
    }
    return true;
}

}  // namespace quern::decompose
