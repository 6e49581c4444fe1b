// Writes safetensors (safetensors.h): a header in JSON, then the tensors, widest elements first.
#include <fmt/ranges.h>

#include <algorithm>

#include "formats/safetensors/safetensors.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"

namespace quern::safetensors {

std::string header_of(std::span<const Named> tensors, const std::map<std::string, std::string>& metadata) {
    std::string json = "{", comma;
    const auto member = [&](const std::string& name, const std::string& value) {
        json += comma + json_text(name) + ":" + value;
        comma = ",";
    };
    if (!metadata.empty()) {
        std::string items;
        for (const auto& [key, text] : metadata) items += fmt::format("{}{}:{}", items.empty() ? "" : ",", json_text(key), json_text(text));
        member("__metadata__", "{" + items + "}");
    }
    uint64_t at = 0;
    for (const auto& [name, tensor] : tensors) {
        const std::string_view dtype = dtype_name(tensor.dtype);
        if (dtype.empty()) throw unsupported("constant \"{}\": safetensors has no {}", escape(name), name_of(tensor.dtype));
        const uint64_t end = at + tensor.data.size();
        member(name, fmt::format(R"({{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", dtype, fmt::join(tensor.dims, ","), at, end));
        at = end;
    }
    json += "}";
    json.resize((json.size() + 7) / 8 * 8, ' ');
    std::string size;
    for (int i = 0; i < 8; ++i) size += static_cast<char>(json.size() >> 8 * i & 255);
    return size + json;
}

void write(const std::string& path, std::vector<Named> tensors, const std::map<std::string, std::string>& metadata) {
    std::ranges::stable_sort(tensors, std::greater<>(), [](const Named& named) { return bits_of(named.second.dtype); });
    OutputFile file(path);
    file.write(header_of(tensors, metadata));
    for (const auto& [name, tensor] : tensors) {
        file.write(tensor.data);
        tensor.data.release();
    }
    file.commit();
}

}  // namespace quern::safetensors
