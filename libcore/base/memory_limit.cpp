#include "libcore/base/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>

#include "libcore/base/control_groups.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

std::atomic<uint64_t> wanted = 0;

uint64_t number_in(const std::string& path, uint64_t otherwise) {
    std::ifstream file(path);
    uint64_t number = 0;
    return file >> number ? number : otherwise;  // "max" is none
}

uint64_t group_limit(uint64_t otherwise) {
    uint64_t min = number_in(std::string(control_group_root) + "/memory/memory.limit_in_bytes", otherwise);  // version 1
    for (const std::string& group : control_groups()) min = std::min(min, number_in(group + "/memory.max", otherwise));
    return min;
}

uint64_t machine_limit() {
    const auto pages = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)), page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    return group_limit(pages * page);
}

}  // namespace

std::string readable_size(uint64_t bytes) {
    constexpr uint64_t mega = 1'000'000, giga = 1'000'000'000;
    if (bytes >= 10 * giga) return fmt::format("{} GB", bytes / giga);
    return bytes >= mega ? fmt::format("{} MB", bytes / mega) : fmt::format("{} bytes", bytes);
}

uint64_t memory_limit() {
    if (const uint64_t set = wanted.load()) return set;
    static const uint64_t machine = machine_limit();
    rlimit space{};
    if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) return std::min<uint64_t>(machine, space.rlim_cur);
    return machine;
}

bool surely_fits(uint64_t bytes) {
    constexpr uint64_t small = 1 << 16;  // less than any process has
    return bytes <= small && wanted.load(std::memory_order_relaxed) == 0;
}

void set_memory_limit(uint64_t bytes) { wanted = bytes; }

uint64_t parse_memory_size(const std::string& text) {
    constexpr std::string_view units = "kMGT";
    const size_t unit = text.empty() ? units.npos : units.find(text.back());
    const auto number = parse_int(unit == units.npos ? text : text.substr(0, text.size() - 1));
    uint64_t bytes = number && *number > 0 ? static_cast<uint64_t>(*number) : 0;
    for (size_t i = 0; bytes > 0 && unit != units.npos && i <= unit; ++i)
        if (__builtin_mul_overflow(bytes, 1000, &bytes)) bytes = 0;
    if (bytes == 0 || bytes > uint64_t{1} << 60)
        throw usage_error("got \"{}\", need a number of bytes, as 512M or 8G (k, M, G, T: powers of 1000)", escape(text));
    return bytes;
}

void need_memory(uint64_t bytes, const std::string& what, uint64_t limit) {
    if (bytes > limit)
        throw unsupported("{} takes {} bytes, the limit is {}", what, bytes, readable_size(limit))
            .with_hint("--memory-limit sets another limit (default: the machine's memory)");
}

}  // namespace quern
