#include "libcore/conformance/thread_sanitizer.h"

#include <filesystem>

#include "libcore/base/text.h"
#include "libcore/os/io.h"
#include "libcore/os/needed_libraries.h"
#include "libcore/os/process.h"

namespace quern::conformance {
namespace {

namespace fs = std::filesystem;

std::string run_time_of(const std::string& library) {
    std::error_code ignored;
    if (library.empty() || !fs::is_regular_file(library, ignored)) return "";
    for (const std::string& name : needed_libraries(map_input(library)))
        if (name.starts_with("libtsan.so") || name.starts_with("libclang_rt.tsan")) return name;
    return "";
}

}  // namespace

ThreadSanitizer::ThreadSanitizer(const std::string& library) : run_time_(run_time_of(library)) {
    if (!run_time_.empty()) reports_.emplace();
}

std::vector<std::string> ThreadSanitizer::environment() const {
    if (run_time_.empty()) return {};
    const char quote = reports_->path().find('\'') == std::string::npos ? '\'' : '"';
    return {extended_variable("LD_PRELOAD", run_time_, ""),
            extended_variable("TSAN_OPTIONS", "exitcode=66",
                              fmt::format("halt_on_error=1:log_path={0}{1}/report{0}", quote, reports_->path()))};
}

std::string ThreadSanitizer::take_report() const {
    std::string out;
    if (run_time_.empty()) return out;
    for (const fs::directory_entry& entry : fs::directory_iterator(reports_->path())) {
        out += map_input(entry.path().string()).text();
        fs::remove(entry.path());
    }
    return out;
}

std::string summary_of(const std::string& report) {
    constexpr std::string_view head = "SUMMARY: ThreadSanitizer: ";
    const size_t at = report.find(head);
    if (at == report.npos) return "";
    const size_t begin = at + head.size();
    return printable(report.substr(begin, report.find('\n', begin) - begin));
}

}  // namespace quern::conformance
