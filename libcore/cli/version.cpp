#include "libcore/cli/version.h"

#include <fmt/core.h>

#include "formats/format.h"
#include "formats/onnx/upgrade.h"
#include "libcore/base/text.h"
#include "libcore/kernels/context_isa.h"
#include "libcore/kernels/isa.h"
#include "libcore/kernels/table/loader.h"

namespace quern {
namespace {

std::string row(std::string_view what, std::string_view text) { return fmt::format("{:<14}{}\n", what, text); }

std::string library_text(const KernelLibrary& library) {
    if (!library.problem.empty()) return "not loaded: " + printable(library.problem);
    return library.version;
}

std::string names_of_formats(bool (*wanted)(const Format&)) {
    std::vector<std::string> names;
    for (const Format& format : all_formats())
        if (wanted(format)) names.emplace_back(format.name);
    return join(names, ", ");
}

}  // namespace

std::string version_details() {
    const std::string set(context_isa());
    return row("isa", is_isa_limited() ? set + " (by --isa)" : set) + row("oneDNN", library_text(onednn_library())) +
           row("ONNX opsets",
               fmt::format("read up to {1}, written from {0} to {1}", onnx_format::oldest_written, onnx_format::newest_opset)) +
           row("reads", names_of_formats([](const Format& format) { return format.read != nullptr; })) +
           row("writes", names_of_formats([](const Format& format) { return format.write != nullptr; }));
}

}  // namespace quern
