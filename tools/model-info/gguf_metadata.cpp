// One value of the metadata, whole. Chat templates are text here as everywhere: nothing executes them.
#include <unistd.h>

#include "formats/gguf/file/metadata_json.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool.h"
#include "libcore/os/standard_output.h"
#include "tools/model-info/gguf.h"

namespace quern {
namespace {

// A terminal gets no control characters but the ends of lines.
void print_text(std::string_view text) {
    if (::isatty(standard_output()) == 0) return print(std::string(text) + "\n");
    std::string out;
    for (size_t start = 0; start <= text.size();) {
        const size_t end = std::min(text.find('\n', start), text.size());
        out += printable(text.substr(start, end - start)) + "\n";
        start = end + 1;
    }
    print(out);
}

// A line for each element.
void print_elements(const gguf::MetaValue& value) {
    if (value.element == gguf::ValueType::string) {
        for (const std::string_view text : value.texts()) print(escape_whole(text) + "\n");
        return;
    }
    for (const Json& item : gguf::value_json(value)) print(json_line(item) + "\n");
}

const gguf::MetaValue& need_value(const gguf::Metadata& metadata, const std::string& key) {
    if (const gguf::MetaValue* value = metadata.find(key)) return *value;
    std::vector<std::string> keys;
    for (const auto& entry : metadata.entries()) keys.push_back(entry.key);
    throw usage_error("there is no metadata \"{}\"{}", escape(key), did_you_mean(key, keys));
}

}  // namespace

void print_metadata(const gguf::File& file, const GgufQuestion& question) {
    const gguf::MetaValue& value = need_value(file.metadata, question.metadata);
    if (question.json) return print(json_line(gguf::value_json(value)) + "\n");
    if (value.array) return print_elements(value);
    if (value.element == gguf::ValueType::string) return print_text(value.texts().front());
    print(json_line(gguf::value_json(value)) + "\n");
}

}  // namespace quern
