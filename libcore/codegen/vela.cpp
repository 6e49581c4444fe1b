// The generator `vela`: the model as TFLite through Arm's Vela, whose file and summary are read back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "libcore/base/text.h"
#include "libcore/codegen/generator.h"
#include "libcore/graph/edit.h"
#include "libcore/os/child.h"
#include "libcore/os/temporary.h"
#include "libcore/place/legal.h"
#include "libcore/place/target_file.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

// Options that go to Vela as they are.
constexpr std::array passed{"accelerator-config", "system-config", "memory-mode", "config"};

// The lines of Vela's report that say how well it went: "CPU operators = 0 (0.0%)".
std::vector<std::string> summary_of(const std::string& output) {
    std::vector<std::string> lines;
    for (const std::string& line : split(output, '\n')) {
        const std::string_view text = trim(line);
        if (text.starts_with("CPU operators") || text.starts_with("NPU operators") || text.starts_with("Total SRAM used") ||
            text.starts_with("Total Off-chip Flash used") || text.starts_with("Neural network macs") ||
            text.starts_with("Accelerator conf"))
            lines.push_back(printable(text));
    }
    return lines;
}

// Numbers of the summary file that Vela writes beside its result: one row of names, one of values.
std::vector<std::string> numbers_of(const std::string& folder) {
    std::vector<std::string> lines;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".csv") continue;
        const Bytes bytes = map_input(entry.path().string());
        const auto rows = split(bytes.text(), '\n');
        if (rows.size() < 2) continue;
        const auto names = split(rows[0], ','), values = split(rows[1], ',');
        for (size_t i = 0; i < names.size() && i < values.size(); ++i)
            if (names[i] == "inference_time" || names[i] == "cycles_total" || names[i] == "total_npu_encoded_weights")
                lines.push_back(fmt::format("{} {}", printable(names[i]), printable(values[i])));
    }
    return lines;
}

// The operators of the file that stay on the CPU, and why, by the data of the target of that name (libcore/place/targets). Nothing is known
// of other accelerators.
std::vector<std::string> on_cpu(const std::string& file, const std::string& accelerator) {
    const auto names = place::target_names();
    if (std::ranges::find(names, accelerator) == names.end()) return {};
    Graph graph = read_model(file).graph;
    for (const place::NodeRef& ref : place::placed_nodes(graph)) ref.node().device = place::cpu_device;
    constexpr size_t max = 5;
    std::vector<std::string> lines;
    for (const place::Refused& refused : place::refused_by_all(graph, place::load_target(accelerator))) lines.push_back(to_string(refused));
    if (lines.size() > max) {
        const size_t more = lines.size() - max;
        lines.resize(max);
        lines.push_back(fmt::format("... and {} more: place --target {} says which", more, accelerator));
    }
    return lines;
}

Generated generate(const GenerateRequest& given) {
    if (!on_path("vela"))
        throw unsupported("vela is not installed: there is no such program on the PATH").with_hint("pip install ethos-u-vela");
    GenerateRequest request = given;
    std::vector<std::string> decided = make_static(request.model.graph, "vela");
    const std::string path = output_file(request, vela_generator);
    keep_model_files(request, std::array{path});
    const TemporaryFolder folder;
    const std::string model = folder.path() + "/model.tflite";
    write_model(request.model, model, "tflite");
    std::vector<std::string> words{"vela", model, "--output-dir", folder.path() + "/out"};
    for (const char* name : passed)
        if (const std::string text = option_of(request, name, name == passed[0] ? "ethos-u55-128" : ""); !text.empty())
            words.insert(words.end(), {fmt::format("--{}", name), text});
    if (request.preference != Preference::usual)
        words.insert(words.end(), {"--optimise", request.preference == Preference::speed ? "Performance" : "Size"});
    const ChildResult result = run_child(words);
    const std::string compiled = folder.path() + "/out/model_vela.tflite";
    if (result.status != 0 || !fs::exists(compiled))
        throw unsupported("vela could not compile the model (exit {})", result.status).with_details(last_lines(result.output, 5));
    at_place("vela's result", [&] { return read_model(compiled); });
    OutputFile file(path);
    file.write(map_input(compiled));
    file.commit();
    Generated made{{path}, std::move(decided), summary_of(result.output)};
    for (const std::string& line : numbers_of(folder.path() + "/out")) made.notes.push_back(line);
    for (const std::string& line : made.notes)
        if (line.starts_with("CPU operators") && line.find("= 0 ") == std::string::npos) {
            made.decided.push_back("not on the NPU: " + line);
            const auto cpu = on_cpu(model, option_of(request, passed[0], "ethos-u55-128"));
            made.decided.insert(made.decided.end(), cpu.begin(), cpu.end());
        }
    return made;
}

constexpr std::array options{
    GeneratorOption{"accelerator-config", "as Vela's (default: ethos-u55-128)"},
    GeneratorOption{"system-config", "as Vela's"},
    GeneratorOption{"memory-mode", "as Vela's"},
    GeneratorOption{"config", "Vela's configuration file"},
};

}  // namespace

const Generator vela_generator{
    .name = "vela",
    .doc = "a TFLite file compiled for Arm's Ethos-U by Vela, which must be installed",
    .input = "any model that model-convert -f tflite writes; what is not int8 or int16 stays on the CPU",
    .product = "{}_vela.tflite",
    .format = "tflite",
    .options = options,
    .has_preference = true,
    .generate = generate,
};

}  // namespace quern
