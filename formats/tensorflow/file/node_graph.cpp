#include "formats/tensorflow/file/node_graph.h"

#include <charconv>

#include "libcore/base/text.h"

namespace quern::tensorflow_format {

size_t output_number(std::string_view text, std::string_view reference) {
    constexpr size_t output_limit = 1 << 14;  // of a node
    size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number >= output_limit)
        throw bad_input("refers to \"{}\"", escape(reference));
    return number;
}

std::vector<std::string> callees(const Node& node) {
    std::vector<std::string> names;
    for (const auto& [key, value] : node.attrs) {
        if (const auto* one = std::get_if<FunctionName>(&value)) names.push_back(one->name);
        if (const auto* many = std::get_if<std::vector<FunctionName>>(&value))
            for (const FunctionName& function : *many) names.push_back(function.name);
    }
    return names;
}

Ref NodeGraph::find(std::string_view reference) const {
    const size_t colon = reference.find(':');
    const auto found = by_name.find(reference.substr(0, colon));
    if (found == by_name.end()) throw bad_input("refers to \"{}\", which is not there", escape(reference));
    return {found->second, colon == std::string_view::npos ? 0 : output_number(reference.substr(colon + 1), reference)};
}

}  // namespace quern::tensorflow_format
