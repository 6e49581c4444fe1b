#include "formats/samples/input_list.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "formats/tensors/map_sample.h"
#include "formats/tensors/named_steps.h"
#include "libcore/base/file_kind.h"
#include "libcore/base/text.h"
#include "libcore/base/utf.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

std::vector<std::string> tokens_of(std::string_view line) {
    std::vector<std::string> tokens;
    std::string token;
    bool quoted = false, open = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
            open = true;
        } else if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
            if (open) tokens.push_back(std::exchange(token, {}));
            open = false;
        } else {
            token += c;
            open = true;
        }
    }
    if (quoted) throw bad_input("a quote is not closed");
    if (open) tokens.push_back(token);
    return tokens;
}

void add(std::vector<std::string>& to, std::string_view rest) {
    for (std::string& token : tokens_of(rest)) to.push_back(std::move(token));
}

}  // namespace

ListToken parse_token(const std::string& text, const std::vector<InputSpec>& specs) {
    if (const size_t mark = text.find(":="); mark != std::string::npos) return {text.substr(0, mark), text.substr(mark + 2)};
    ListToken best{"", text};
    for (const InputSpec& spec : specs) {
        const bool fits =
            text.size() > spec.name.size() && text.compare(0, spec.name.size(), spec.name) == 0 && text[spec.name.size()] == '=';
        if (fits && spec.name.size() >= best.name.size()) best = {spec.name, text.substr(spec.name.size() + 1)};
    }
    return best;
}

std::string resolve_path(const std::string& text, const std::string& list) {
    if (list.empty() || list == "-") return text;
    const std::filesystem::path folder = std::filesystem::path(list).parent_path();
    std::error_code error;
    // A whole name comes first: what stands behind a colon in it is neither rows nor steps then.
    const bool whole = std::filesystem::exists(text, error) || std::filesystem::exists(folder / text, error);
    const std::filesystem::path path = whole ? text : sample_path(text);
    if (path.is_absolute() || std::filesystem::exists(path, error)) return text;
    if (folder.empty() || !std::filesystem::exists(folder / path, error)) return text;
    return (folder / path).string() + text.substr(path.string().size());
}

// Standard input is there once, and a list is asked for its outputs and for its samples.
static Bytes list_bytes(const std::string& path) {
    if (path != "-") {
        const Bytes list = map_sample(path);
        return at_place(path, [&] {
            refuse_other_kind(list.text());
            return as_utf8(list);
        });
    }
    static const Bytes standard = as_utf8(map_input("-"));
    return standard;
}

InputList read_input_list(const std::string& path, const std::vector<InputSpec>& specs) {
    const Bytes bytes = list_bytes(path);
    const std::string_view text = bytes.text();
    InputList list;
    size_t number = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trim(text.substr(at, end - at));
        at = end + 1;
        ++number;
        at_place(fmt::format("{}: line {}", display_name(path), number), [&] {
            if (line.empty() || (line[0] == '#' && (!list.lines.empty() || line.size() == 1 || line[1] == ' '))) return;
            if (line[0] == '#') return add(list.layers, line.substr(1));
            if (line[0] == '%' && list.lines.empty()) return add(list.tensors, line.substr(1));
            ListLine& item = list.lines.emplace_back();
            item.number = number;
            for (const std::string& token : tokens_of(line)) item.tokens.push_back(parse_token(token, specs));
        });
    }
    if (list.lines.empty()) throw bad_input("{}: has no samples", display_name(path));
    return list;
}

std::vector<std::string> listed_outputs(const std::string& path, const Graph& graph,
                                        const std::map<std::string, std::vector<std::string>>& nodes) {
    if (path.empty()) return {};
    const InputList list = read_input_list(sample_path(path), {});
    std::vector<std::string> names = list.tensors;
    for (const std::string& layer : list.layers) {
        if (const auto known = nodes.find(layer); known != nodes.end()) {
            names.insert(names.end(), known->second.begin(), known->second.end());
            continue;
        }
        const NodeId node = graph.find_node(layer);
        if (node == NodeId::none) {
            names.push_back(layer);
            continue;
        }
        for (const ValueId id : graph.node(node).out)
            if (id != ValueId::none) names.push_back(graph.value(id).name);
    }
    return names;
}

static Error no_value(const Graph& graph, const std::string& name) {
    std::vector<std::string> all;
    if (graph.order().empty()) {  // of a context only what its parts hand on has names
        for (size_t i = 0; i < graph.value_count(); ++i) all.push_back(graph.value(static_cast<ValueId>(i)).name);
        return bad_input("no part of the context hands on a value \"{}\"{}", escape(name), did_you_mean(name, all))
            .with_hint(fmt::format("those it has: {}", printable(join(all, ", "))));
    }
    for (const NodeId node : graph.order())
        for (const ValueId out : graph.node(node).out)
            if (out != ValueId::none) all.push_back(graph.value(out).name);
    return bad_input("the model has no value \"{}\"{}", escape(name), did_you_mean(name, all));
}

void select_outputs(Graph& graph, const std::vector<std::string>& names) {
    std::vector<ValueId> outputs;
    for (const std::string& name : names) {
        const ValueId id = graph.find(name);
        if (id == ValueId::none) throw no_value(graph, name);
        if (std::find(outputs.begin(), outputs.end(), id) == outputs.end()) outputs.push_back(id);
    }
    if (!outputs.empty()) graph.outputs = outputs;
}

}  // namespace quern
