#include "libcore/kernels/isa.h"

#include <algorithm>
#include <atomic>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

Isa of_machine() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return Isa::avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Isa::avx2;
#endif
    return Isa::base;
}

Isa& widest() {
    static Isa set = of_machine();
    return set;
}

std::atomic<bool> limited = false;

}  // namespace

Isa isa() { return widest(); }
bool is_isa_limited() { return limited; }

void limit_isa(Isa to) {
    if (to > of_machine()) throw unsupported("--isa: this machine does not have {}", isa_names[static_cast<size_t>(to)]);
    widest() = to;
    limited = true;
}

void need_isa(std::string_view name) {
    const auto found = std::find(isa_names.begin(), isa_names.end(), name);
    if (found == isa_names.end()) throw bad_input("is for the unknown instruction set \"{}\"", escape(name));
    const std::string_view here = isa_names[static_cast<size_t>(isa())];
    if (static_cast<size_t>(found - isa_names.begin()) > static_cast<size_t>(isa()))
        throw unsupported("is compiled for {}, here is {}", name, here)
            .with_hint(fmt::format("make it again with quern codegen --isa {}", here));
}

}  // namespace quern
