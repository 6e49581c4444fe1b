// Cases whose expected results are further from the exact value than the standard's tolerance.
#pragma once

#include <string_view>

namespace conformance {

struct Exception {
    std::string_view case_name, reason;
    double absolute;  // how far off elements of the expected result may be, beyond the relative tolerance
};

const Exception* exception_of(std::string_view case_name);  // nullptr if there is none

}  // namespace conformance
