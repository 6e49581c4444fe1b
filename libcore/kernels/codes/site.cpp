#include "libcore/kernels/codes/site.h"

#include <algorithm>

#include "libcore/ops/integer/profile.h"

namespace quern::codes {

bool is_byte_codes(const std::optional<Encoding>& encoding) {
    return encoding && encoding->plain_integer(8) && bits_of(encoding->storage) == 8;
}

bool has_8_bits(const Site& site) { return is_byte_codes(site.value(site.first().in[0]).enc) && is_byte_codes(site.result); }

bool computes_as_onnx(const Site& site) {
    static const auto rows = need_profile("onnx").rows;
    return site.arithmetic >= rows.data() && site.arithmetic < rows.data() + rows.size();
}

bool is_end_of(const Dims& last, const Dims& dims) {
    return last.size() <= dims.size() && std::equal(last.rbegin(), last.rend(), dims.rbegin());
}

}  // namespace quern::codes
