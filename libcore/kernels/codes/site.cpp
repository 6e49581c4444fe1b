#include "libcore/kernels/codes/site.h"

#include "libcore/ops/integer/profile.h"

namespace quern::codes {

bool has_8_bits(const Site& site) {
    const auto fits = [](const std::optional<Encoding>& e) { return e && e->plain_integer(8) && bits_of(e->storage) == 8; };
    return fits(site.value(site.first().in[0]).enc) && fits(site.result);
}

bool computes_as_onnx(const Site& site) {
    static const auto rows = need_profile("onnx").rows;
    return site.arithmetic >= rows.data() && site.arithmetic < rows.data() + rows.size();
}

}  // namespace quern::codes
