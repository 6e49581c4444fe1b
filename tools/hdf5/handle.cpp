#include "tools/hdf5/handle.h"

namespace quern::hdf5 {

std::string last_failure() {
    std::string reason;
    H5Ewalk2(
        H5E_DEFAULT, H5E_WALK_UPWARD,
        [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
            auto& text = *static_cast<std::string*>(out);
            if (text.empty() && error->desc) text = error->desc;
            return 0;
        },
        &reason);
    return reason.empty() ? "libhdf5 failed without a reason" : reason;
}

void check(herr_t state, const std::string& what) {
    if (state < 0) throw bad_input("{}: {}", what, last_failure());
}

}  // namespace quern::hdf5
