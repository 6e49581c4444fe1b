#include "libcore/quant/ranges/exact_sum.h"

#include <cstddef>
#include <tuple>
#include <utility>

namespace quern {
namespace {

// a + b rounded, and what that leaves out (Knuth's TwoSum).
std::pair<double, double> two_sum(double a, double b) {
    const double sum = a + b, of_b = sum - a, of_a = sum - of_b;
    return {sum, (a - of_a) + (b - of_b)};
}

}  // namespace

void ExactSum::add(double number) {
    size_t kept = 0;
    for (const double part : parts_) {
        const auto [sum, rest] = two_sum(number, part);
        if (rest != 0) parts_[kept++] = rest;
        number = sum;
    }
    parts_.resize(kept);
    if (number != 0) parts_.push_back(number);
}

void ExactSum::add(const ExactSum& other) {
    for (const double part : other.parts_) add(part);
}

double ExactSum::rounded() const {
    double sum = 0, rest = 0;
    size_t left = parts_.size();
    while (left > 0 && rest == 0) std::tie(sum, rest) = two_sum(sum, parts_[--left]);
    // A tie is broken by what comes behind it.
    if (left > 0 && ((rest < 0 && parts_[left - 1] < 0) || (rest > 0 && parts_[left - 1] > 0))) {
        const double twice = 2 * rest, other = sum + twice;
        if (other - sum == twice) sum = other;
    }
    return sum;
}

std::vector<double> ExactSum::parts() const {
    std::vector<double> all;
    for (ExactSum rest = *this; !rest.parts_.empty(); rest.add(-all.back())) all.push_back(rest.rounded());
    return all;
}

}  // namespace quern
