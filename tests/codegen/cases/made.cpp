#include "tests/codegen/cases/made.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <regex>

#include "formats/onnx/tensors.h"
#include "libcore/base/text.h"
#include "libcore/codegen/generator.h"
#include "libcore/conformance/grow.h"
#include "libcore/exec/program.h"
#include "libcore/exec/session.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/quantize.h"
#include "libcore/os/io.h"
#include "tests/codegen/samples.h"
#include "tests/conformance/run_case.h"

namespace codegen_cases {
namespace {

namespace fs = std::filesystem;
using namespace quern;

enum class Plans : uint8_t { given, whole_numbers, all_whole_numbers, single_numbers };

bool is_plan(const Value& value, const Tensor& tensor, size_t place, Plans plans) {
    if (plans == Plans::given) return false;
    if (plans == Plans::single_numbers) return tensor.dims.empty();
    const bool first = place == 0 && plans != Plans::all_whole_numbers;
    return !first && (value.name == "scales" || value.name == "roi" || tensor.dtype == DType::i64 || tensor.dtype == DType::i32);
}

// The samples of the inputs that stay.
std::vector<Tensor> bind_inputs(Graph& graph, const fs::path& data, Plans plans) {
    std::vector<Tensor> out;
    std::vector<ValueId> left;
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
        Value& value = graph.value(graph.inputs[i]);
        const fs::path file = data / fmt::format("input_{}.pb", i);
        if (!fs::exists(file)) throw bad_input("no input {}", i);
        Tensor tensor = parse_onnx_tensor(map_input(file));
        tensor.dtype = conformance::dtype_of_data(tensor, value.type.dtype);
        if (tensor.dtype != value.type.dtype) throw bad_input("an input of another type");
        value.type.shape = Shape::of(tensor.dims);
        if (is_plan(value, tensor, i, plans)) {
            value.data = tensor.data;
            continue;
        }
        left.push_back(graph.inputs[i]);
        out.push_back(tensor);
    }
    graph.inputs = left;
    infer_types(graph);
    return out;
}

// "Conv: reason" of `node "x" (Conv): reason`, without names and shapes.
std::string reason_of(const std::string& line) {
    static const std::regex node("^(?:in \"[^\"]*\", )*node \"[^\"]*\" \\(([^)]*)\\)"), name("\"[^\"]*\""), shape("\\[[^\\]]*\\]");
    return std::regex_replace(std::regex_replace(std::regex_replace(line, node, "$1"), name, "\"...\""), shape, "[...]");
}

// The C of made.graph, or why there is none.
void generate(Made& made, Model model, const fs::path& folder) {
    made.refused.clear();
    model.graph = made.graph;
    GenerateRequest request{.model = model, .model_path = made.name, .output = folder, .options = {{"name", made.name}}};
    try {
        c_generator.generate(request);
    } catch (const Error& error) {
        if (error.exit() != Exit::unsupported) throw;
        for (const std::string& line : error.details()) made.refused.insert(reason_of(line));
        if (error.details().empty()) made.refused.insert(reason_of(error.message()));
        return;
    }
    const std::string header(map_input(folder / (made.name + ".h")).text());
    made.freestanding = header.find("math.h") == std::string::npos;
    made.integer = header.find("Integer model") != std::string::npos;
}

void attempt(Made& made, const Model& model, const fs::path& folder, Plans plans) {
    made.graph = model.graph;
    made.inputs = bind_inputs(made.graph, made.test.folder / "test_data_set_0", plans);
    generate(made, model, folder);
}

std::string difference_of(const Tensor& wanted, const Tensor& got) {
    const auto a = to_doubles(wanted), b = to_doubles(got);
    double most = 0, apart = 0;
    for (const double item : a)
        if (std::isfinite(item)) most = std::max(most, std::abs(item));
    for (size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i] || (a[i] != a[i] && b[i] != b[i])) continue;
        const double here = std::abs(a[i] - b[i]);
        apart = std::max(apart, std::isfinite(here) ? here : HUGE_VAL);
    }
    if (apart <= most * random_graphs::tolerance_of(wanted.dtype)) return {};
    return fmt::format("numbers differ by {:.3g} of {:.3g}", apart, most);
}

}  // namespace

Made make(const conformance::Case& test, const std::string& name, const fs::path& folder) {
    Made made{.test = test, .name = name, .graph = {}, .inputs = {}, .refused = {}, .failure = {}};
    try {
        const Model model = read_model(test.folder / "model.onnx");
        for (const auto* list : {&model.graph.inputs, &model.graph.outputs})
            for (const ValueId id : *list)
                if (model.graph.value(id).type.kind != Type::Kind::tensor) throw bad_input("sequence and optional values");
        for (const Plans plans : {Plans::given, Plans::whole_numbers, Plans::all_whole_numbers, Plans::single_numbers}) {
            // Inputs as constants fold away: only where shapes, or how often a loop turns, depend on them.
            const auto has = [&](std::string_view words) {
                return std::ranges::all_of(made.refused, [&](const std::string& line) { return line.find(words) != line.npos; });
            };
            if (plans == Plans::all_whole_numbers && !has("shape is not known")) continue;
            if (plans == Plans::single_numbers && !has("how many there are depends on the run")) continue;
            attempt(made, model, folder, plans);
            if (made.generated()) break;
        }
    } catch (const Error& error) {
        made.failure = error.message();
    }
    return made;
}

namespace {

Tensor sizes_of(const Tensor& tensor) {
    auto items = to_floats(tensor);
    for (float& item : items) item = std::abs(item);
    return from_floats(tensor.dtype, tensor.dims, items);
}

}  // namespace

Made make_model(const fs::path& path, const std::string& name, const fs::path& folder) {
    Made made{.test = {path.stem(), "file", path}, .name = name, .graph = {}, .inputs = {}, .refused = {}, .failure = {}};
    try {
        const Model model = read_model(path);
        made.graph = model.graph;
        std::mt19937 random(7);
        for (const ValueId id : made.graph.inputs) made.inputs.push_back(random_input(made.graph.value(id), random));
        const NodeId first = made.graph.order().front();
        if (made.graph.node(first).op->name == "Sqrt") made.inputs[0] = sizes_of(made.inputs[0]);
        generate(made, model, folder);
    } catch (const Error& error) {
        made.failure = error.message();
    }
    return made;
}

Made make_graph(Graph graph, std::vector<Tensor> inputs, const std::string& name, const fs::path& folder) {
    Made made{.test = {}, .name = name, .graph = std::move(graph), .inputs = std::move(inputs), .refused = {}, .failure = {}};
    try {
        Model model;
        model.graph = made.graph;
        generate(made, model, folder);
    } catch (const Error& error) {
        made.failure = error.message();
    }
    return made;
}

std::string difference(const Made& made, Invoke invoke) {
    const auto program = Program::compile(made.graph, {.mode = made.integer ? Mode::integer : Mode::floating, .reference = true});
    const auto& compiled = dynamic_cast<const CompiledGraph&>(*program);
    const auto encoding = [&](ValueId id) { return compiled.encoded(id) ? &*compiled.graph().value(id).enc : nullptr; };
    const auto held = [&](const std::vector<ValueId>& ids, std::vector<Tensor> tensors) {
        for (size_t i = 0; i < ids.size(); ++i)
            if (const Encoding* e = encoding(ids[i])) tensors[i] = quantize(tensors[i], *e);
        return tensors;
    };
    ThreadPool pool(1);
    Session session(program, pool);
    const auto inputs = held(compiled.graph().inputs, made.inputs);
    const auto wanted = held(compiled.graph().outputs, session.run(made.inputs));
    std::vector<const void*> in;
    std::vector<void*> out;
    std::vector<std::vector<std::byte>> memory;
    for (const Tensor& tensor : inputs) in.push_back(tensor.data.data());
    for (const Tensor& tensor : wanted)
        memory.emplace_back(storage_size(tensor.dtype, static_cast<uint64_t>(tensor.count())) + 1, std::byte{0x5a});
    for (auto& bytes : memory) out.push_back(bytes.data());
    invoke(in.data(), out.data());
    invoke(in.data(), out.data());  // nothing of a run may matter to the next one
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (memory[i].back() != std::byte{0x5a}) return fmt::format("output {} is written beyond its end", i);
        memory[i].pop_back();
        const Tensor got{wanted[i].dtype, wanted[i].dims, Bytes::own(memory[i])};
        if (is_float(got.dtype) && !(made.integer && made.freestanding)) {
            if (const std::string what = difference_of(wanted[i], got); !what.empty()) return fmt::format("output {}: {}", i, what);
        } else if (got.data.text() != wanted[i].data.text()) {
            return fmt::format("output {} ({}) differs", i, name_of(got.dtype));
        }
    }
    return {};
}

}  // namespace codegen_cases
