// Pages that are generated from tables must be current. With QUERN_WRITE_PAGES set they are written instead.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <map>

#include "formats/tensorflow/map/map.h"
#include "formats/tflite/map/map.h"
#include "formats/torch/file/aliases.h"
#include "formats/torch/map/map.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"
#include "libcore/place/support.h"
#include "libcore/place/target_file.h"
#include "libcore/support/quantity.h"
#include "libcore/support/runtime.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(pages)

namespace {

std::string operator_table() {
    std::string out = "| TFLite, Circle | ours | kept as it is |\n|---|---|---|\n";
    for (const tflite_format::MapRow* row : tflite_format::map_rows())
        out += fmt::format("| {} | {} | {} |\n", row->custom.empty() ? tflite::EnumNameBuiltinOperator(row->code) : row->custom, row->ops,
                           row->limits);
    return out;
}

// By the names of a framework's operators.
std::string tensorflow_table() {
    std::map<std::string, std::string> rows;
    for (const tensorflow_format::MapRow* row : tensorflow_format::map_rows()) rows[std::string(row->names)] = row->ops;
    std::string out = "| TensorFlow | ours |\n|---|---|\n";
    for (const auto& [names, ops] : rows) out += fmt::format("| {} | {} |\n", names, ops.empty() ? "refused" : ops);
    return out;
}

// Each row with the second names of its operators.
std::string torch_table() {
    std::map<const torch_format::MapRow*, std::string> second;
    for (const torch_format::Alias& alias : torch_format::aliases())
        if (const torch_format::MapRow* row = torch_format::map_row(alias.name).row) second[row] += fmt::format(" {}", alias.name);
    std::map<std::string, const torch_format::MapRow*> rows;
    for (const torch_format::MapRow* row : torch_format::map_rows()) rows[std::string(row->names) + second[row]] = row;
    std::string out = "| PyTorch | ours | kept as it is |\n|---|---|---|\n";
    for (const auto& [names, row] : rows) out += fmt::format("| {} | {} | {} |\n", names, row->ops, row->limits);
    return out;
}

// A table of the targets, and what each runs; targets that run the same share a section.
std::string target_pages() {
    std::string table = "| target | devices | what | type | costs |\n|---|---|---|---|---|\n", sections;
    std::map<std::string, std::string> known;  // what a target runs: the first that runs just that
    for (const std::string& name : place::target_names()) {
        const place::Target target = place::load_target(name);
        table += fmt::format("| {} | {} | {} | {} | {} |\n", name, join(place::device_names(target), ", "), target.doc, target.type,
                             target.basis);
        const std::string page = place::support_page(target, place::PageFormat::markdown);
        const auto [same, fresh] = known.emplace(page.substr(page.find("\n\n")), name);
        sections += fresh ? "\n" + page : fmt::format("\n## {}: {}\nRuns what {} runs.\n", name, target.doc, same->second);
    }
    return table + sections;
}

// What Vela puts on each Ethos-U, from the files of the targets: storage only.
std::string vela_table() {
    const std::array<std::string, 3> targets{"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"};
    std::map<std::string, std::array<std::string, 3>> cells;
    std::string head =
        "\n## Vela\n\nStorage as `libcore/place/targets/*.json` has it, by our operators; all constraints stand in "
        "[targets.md](targets.md).\n\n|";
    head += " operator |";
    for (size_t t = 0; t < targets.size(); ++t) {
        head += fmt::format(" vela ({}) |", targets[t]);
        const place::Target target = place::load_target(targets[t]);
        for (const place::Device& device : target.devices) {
            if (device.name == place::cpu_device) continue;
            for (const place::OpSupport& row : device.ops)
                for (const std::string& op : row.ops) {
                    std::string& cell = cells[op][t];
                    if (cell.empty()) cell = "yes";
                    for (const support::Constraint& constraint : row.constraints)
                        if (constraint.quantity->name.ends_with("storage")) cell = (cell == "yes" ? "" : cell + "; ") + constraint.text();
                }
        }
    }
    std::string page = head + "\n|---|---|---|---|\n";
    for (const auto& [op, row] : cells) page += fmt::format("| {} | {} | {} | {} |\n", op, row[0], row[1], row[2]);
    return page;
}

// What follows the last heading's paragraph in `page` is `generated`.
void check_page(const std::string& page, const std::string& generated) {
    const std::string path = std::string(QUERN_DOCS) + "/" + page;
    const std::string text(map_input(path).text());
    const std::string wanted = text.substr(0, std::min(text.find("\n| "), text.size() - 1) + 1) + generated;
    if (std::getenv("QUERN_WRITE_PAGES"))
        std::ofstream(path) << wanted;
    else
        BOOST_TEST((text == wanted), page << " is not current: QUERN_WRITE_PAGES=1 build/tests/laws --run_test=pages");
}

}  // namespace

BOOST_AUTO_TEST_CASE(tflite_operators) { check_page("tflite.md", operator_table()); }

BOOST_AUTO_TEST_CASE(torch_operators) { check_page("torch.md", torch_table()); }

BOOST_AUTO_TEST_CASE(tensorflow_operators) { check_page("tensorflow.md", tensorflow_table()); }

BOOST_AUTO_TEST_CASE(targets) { check_page("generated/targets.md", target_pages()); }

BOOST_AUTO_TEST_CASE(runtimes) {
    const std::array<std::string, 4> names{"litert", "litert-reference", "tflm", "onert"};
    const std::array<std::string, 1> onnx{"onnxruntime"};
    std::vector<std::string> sorted(names.begin(), names.end()), all = support::runtime_names();
    sorted.insert(sorted.end(), onnx.begin(), onnx.end());
    std::sort(sorted.begin(), sorted.end());
    std::sort(all.begin(), all.end());
    BOOST_TEST(sorted == all, boost::test_tools::per_element());
    const std::string head = fmt::format(
        "\n## ONNX\n\nElement types of operands, each once, then those of the results; scales for each channel are `float32[c]`, for each "
        "block `float32[b]`. It reads opsets up to {}.\n\n",
        support::runtime_named("onnxruntime").opset);
    check_page("generated/runtimes.md", support::runtimes_page(names) + head + support::runtimes_page(onnx) + vela_table());
}

BOOST_AUTO_TEST_SUITE_END()
