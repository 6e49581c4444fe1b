#include "libcore/codegen/c/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libcore/base/json.h"

namespace quern::cgen {
namespace {

double all_macs(const CodeReport& report) {
    double sum = 0;
    for (const Layer& layer : report.layers) sum += layer.macs;
    return sum;
}

double share_of(const Layer& layer, double all) { return all > 0 ? layer.macs / all : 0; }

ptrdiff_t layers_in_float(const CodeReport& report) {
    return std::ranges::count_if(report.layers, [](const Layer& layer) { return !layer.real.empty(); });
}

size_t memory_of(const CodeReport& report) { return report.arena + report.inputs + report.outputs; }

using Row = std::array<std::string, 8>;
// The end of a name tells more than its middle.
std::string cut(const std::string& text, size_t width) {
    if (text.size() <= width) return text;
    const size_t begin = width / 3;
    return text.substr(0, begin) + "..." + text.substr(text.size() - (width - begin - 3));
}

constexpr std::array<size_t, 8> widest{22, 16, 8, 5, 14, 10, 12, 6};  // 100 with the spaces between

Row row_of_layer(const Layer& layer, double all) {
    return {comment_text(layer.name, layer.name.size() + 1),
            layer.op,
            layer.type,
            layer.real.empty() ? "" : "float",
            to_string(std::span<const int64_t>(layer.dims)),
            fmt::format("{}", layer.parameters),
            fmt::format("{:.0f}", layer.macs),
            fmt::format("{:.1f} %", 100 * share_of(layer, all))};
}

// Texts to the left, numbers to the right.
std::string line_of(const Row& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
        const std::string cell = cut(row[i], widest[i]);
        line += i < 5 ? fmt::format("{:<{}} ", cell, widest[i]) : fmt::format("{:>{}} ", cell, widest[i]);
    }
    line.pop_back();
    return line + "\n";
}

std::string calls_text(const std::vector<StackFrame>& calls) {
    std::string text;
    for (const StackFrame& call : calls) text += fmt::format("              {:<60} {:>10}\n", cut(call.function, 60), call.bytes);
    return text;
}

}  // namespace

std::string report_text(const CodeReport& report) {
    const double all = all_macs(report);
    std::string text = fmt::format("model         {}: {}, needs {}\n", report.name, report.integer ? "integer" : "float", report.needs);
    text += fmt::format("flash         {} bytes of constants; code comes to it, whose size is the compiler's\n", report.constants);
    text += fmt::format("RAM           {} bytes: arena {}, inputs {}, outputs {}; states are inputs and outputs\n", memory_of(report),
                        report.arena, report.inputs, report.outputs);
    text += fmt::format("stack         {} bytes estimated for 32-bit processors: the deepest calls, all they declare in memory\n",
                        bytes_of(report.stack));
    text += calls_text(report.stack);
    text += fmt::format("in float      {} of {} layers\n", layers_in_float(report), report.layers.size());
    text += fmt::format("MACs          {:.0f}\n\n", all);
    text += line_of({"layer", "operator", "type", "in", "output", "parameters", "MACs", "share"});
    for (const Layer& layer : report.layers) text += line_of(row_of_layer(layer, all));
    return text;
}

std::string report_json(const CodeReport& report) {
    const double all = all_macs(report);
    Json calls = Json::array(), layers = Json::array();
    for (const StackFrame& call : report.stack) calls.push_back({{"function", call.function}, {"bytes", call.bytes}});
    for (const Layer& layer : report.layers)
        layers.push_back({{"name", layer.name},
                          {"operator", layer.op},
                          {"type", layer.type},
                          {"float", layer.real},
                          {"shape", layer.dims},
                          {"parameters", layer.parameters},
                          {"macs", layer.macs},
                          {"share", share_of(layer, all)}});
    return json_document(
        {{"kind", "codegen-report"},
         {"version", 1},
         {"name", report.name},
         {"integer", report.integer},
         {"needs", report.needs},
         {"flash", {{"constants", report.constants}}},
         {"ram", {{"arena", report.arena}, {"inputs", report.inputs}, {"outputs", report.outputs}, {"total", memory_of(report)}}},
         {"stack", {{"bytes", bytes_of(report.stack)}, {"calls", calls}}},
         {"macs", all},
         {"float_layers", layers_in_float(report)},
         {"layers", layers}});
}

}  // namespace quern::cgen
