#include "libcore/kernels/codes/site.h"

#include "libcore/ops/integer/profile.h"

namespace quern::codes {

int code_bits(const std::optional<Encoding>& encoding) {
    if (!encoding || !encoding->plain_integer(16)) return 0;
    const int bits = bits_of(encoding->storage);
    return bits == 8 || bits == 16 ? bits : 0;
}

bool has_8_bits(const Site& site) { return is_byte_codes(site.value(site.first().in[0]).enc) && is_byte_codes(site.result); }

bool computes_as_onnx(const Site& site) {
    static const auto rows = need_profile("onnx").rows;
    return site.arithmetic >= rows.data() && site.arithmetic < rows.data() + rows.size();
}

}  // namespace quern::codes
