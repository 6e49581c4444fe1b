#include "tools/model-info/safetensors.h"

#include "formats/safetensors/safetensors.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool.h"
#include "libcore/os/io.h"
#include "tools/model-info/row.h"

namespace quern {
namespace {

struct Totals {
    uint64_t parameters = 0, bytes = 0;
};

Totals totals_of(const safetensors::Container& container) {
    Totals totals;
    for (const auto& [name, tensor] : container.tensors) {
        totals.parameters += static_cast<uint64_t>(tensor.count());
        totals.bytes += tensor.data.size();
    }
    return totals;
}

void print_json(const safetensors::Container& container) {
    nlohmann::json tensors = nlohmann::json::array();
    for (const auto& [name, tensor] : container.tensors)
        tensors.push_back({{"name", name}, {"dtype", name_of(tensor.dtype)}, {"shape", tensor.dims}, {"bytes", tensor.data.size()}});
    const Totals totals = totals_of(container);
    const nlohmann::json out{{"kind", "safetensors"},
                             {"metadata", container.metadata},
                             {"parameters", totals.parameters},
                             {"weight_bytes", totals.bytes},
                             {"tensors", std::move(tensors)}};
    print(json_document(out));
}

void print_table(const safetensors::Container& container) {
    const Totals totals = totals_of(container);
    row("safetensors",
        fmt::format("{} tensors in {} file{}", container.tensors.size(), container.files.size(), container.files.size() == 1 ? "" : "s"));
    row("parameters", fmt::format("{} ({} bytes)", totals.parameters, totals.bytes));
    for (const auto& [key, value] : container.metadata) row("metadata", fmt::format("{} = {}", escape(key), escape(value.substr(0, 200))));
    std::string_view what = "tensors";
    for (const auto& [name, tensor] : container.tensors) {
        row(what, fmt::format("{:<44} {}{}", escape(name), name_of(tensor.dtype), to_string(tensor.dims)));
        what = "";
    }
}

}  // namespace

bool is_safetensors(const Bytes& bytes, const std::string& path) {
    return safetensors::sniff(bytes) || path.ends_with(".safetensors") || safetensors::is_index(path);
}

Exit show_safetensors(const Bytes& bytes, const std::string& path, bool json) {
    const safetensors::Container container =
        safetensors::is_index(path) ? safetensors::open(path) : at_place(display_name(path), [&] { return safetensors::parse(bytes); });
    json ? print_json(container) : print_table(container);
    return Exit::ok;
}

}  // namespace quern
