#include "tests/laws/common.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>

#include "formats/text/text.h"
#include "libcore/graph/op.h"

namespace quern::laws {
namespace {

void add_folder(const std::filesystem::path& folder, std::vector<std::string>& to) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string suffix = entry.path().extension();
        if (entry.is_regular_file() && (suffix == ".onnx" || suffix == ".mlir" || suffix == ".tflite" || suffix == ".circle"))
            found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    to.insert(to.end(), found.begin(), found.end());
}

int64_t length_of(const Dim& dim) {
    if (dim.known()) return dim.value;
    if (dim.symbol == "sequence") return 512;
    const bool batch =
        dim.symbol.empty() || dim.symbol.find("batch") != std::string::npos || dim.symbol.starts_with("unk") || dim.symbol == "N";
    return batch ? 1 : 8;
}

}  // namespace

std::vector<std::string> model_paths(std::string_view exports) {
    std::vector<std::string> paths;
    const char* given = std::getenv("QUERN_MODELS");
    const std::filesystem::path models = given ? given : QUERN_DEFAULT_MODELS;
    if (std::filesystem::is_directory(models)) {
        for (const char* kind : {"onnx", "tflite", "circle"}) add_folder(models / kind, paths);
    } else {
        const char* ci = std::getenv("CI");
        if (ci && std::string_view(ci) == "true") throw io_error("the folder of public models is required in CI: {}", models.string());
        std::fprintf(stderr, "%s is not there: small exported models stand in\n", models.c_str());
        paths = exported_paths(exports);
    }
    add_folder(QUERN_LAW_GRAPHS, paths);
    return paths;
}

std::vector<std::string> exported_paths(std::string_view exports) {
    std::vector<std::string> paths;
    add_folder(std::filesystem::path(QUERN_EXPORTED_MODELS) / exports, paths);
    return paths;
}

std::string text_of(const Graph& graph) { return print_text(graph); }

std::string text_of(const Model& model) {
    std::string out;
    print_text(model, {}, [&](std::string_view part) { out += part; });
    return out;
}

std::vector<Tensor> random_inputs(const Graph& graph) {
    std::mt19937 numbers(7);
    std::vector<Tensor> out;
    for (const ValueId id : graph.inputs) {
        const Type& type = graph.value(id).type;
        Dims dims;
        for (const Dim& dim : type.shape.dims) dims.push_back(length_of(dim));
        std::vector<double> items(static_cast<size_t>(count_of(dims)));
        for (double& item : items) {
            const double unit = static_cast<double>(numbers()) / 4294967296.0;
            item = is_float(type.dtype) ? 2 * unit - 1 : std::floor(unit * (type.dtype == DType::boolean ? 2 : 8));
        }
        out.push_back(from_doubles(type.dtype, dims, items));
    }
    return out;
}

std::vector<Tensor> outputs_of(const Graph& graph, std::span<const Tensor> inputs) {
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.mode = Mode::fake, .reference = true}), pool);
    return session.run(inputs);
}

double difference(const Tensor& a, const Tensor& b) {
    constexpr double never = std::numeric_limits<double>::infinity();
    if (a.dtype != b.dtype || a.dims != b.dims) return never;
    if (a.dtype == DType::string) return identical(a, b) ? 0 : never;
    const auto x = to_doubles(a), y = to_doubles(b);
    double worst = 0, largest = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
        if (!std::isfinite(x[i]) || !std::isfinite(y[i])) return never;
        worst = std::max(worst, std::fabs(x[i] - y[i]));
    }
    for (const double value : y)
        if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    return worst == 0 ? 0 : worst / std::max(largest, 1e-30);
}

}  // namespace quern::laws
