#include "libcore/kernels/isa.h"

#include <algorithm>
#include <atomic>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/context_isa.h"

namespace quern {
namespace {

Isa of_machine() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return Isa::avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        return Isa::avx2;
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
bool has_vectors() {
#if defined(__aarch64__)
    return true;
#else
    return isa() >= Isa::avx2;
#endif
}
bool is_isa_limited() { return limited; }

void limit_isa(Isa to) {
    if (to > of_machine()) throw unsupported("--isa: this machine does not have {}", isa_names[static_cast<size_t>(to)]);
    widest() = to;
    limited = true;
}

std::string_view context_isa() {
#if defined(__x86_64__)
    return isa_names[static_cast<size_t>(isa())];
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "other";
#endif
}

bool runs_isa(std::string_view name) {
    if (name == context_isa()) return true;
    const auto *here = std::ranges::find(isa_names, context_isa()), *wanted = std::ranges::find(isa_names, name);
    return here != isa_names.end() && wanted < here;
}

void need_isa(std::string_view name) {
    if (runs_isa(name)) return;
    if (std::ranges::find(context_isas, name) == context_isas.end() && name != "other")
        throw bad_input("is for the unknown instruction set \"{}\"", escape(name));
    throw unsupported("is compiled for {}, here is {}", name, context_isa())
        .with_hint(fmt::format("make it again with quern codegen --isa {}", context_isa()));
}

}  // namespace quern
