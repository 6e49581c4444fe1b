// Generated C beside the interpreter: each model is generated, compiled with the strictest flags, loaded and run on random samples.
// Integer models must give the same codes as `run --mode int --reference`, float ones the same numbers within 1e-5 of the largest.
//
// With --arm the same files are compiled for a Cortex-M, too, and run on a board of QEMU (--board cortex-m4: that one; cortex-m3); by
// default the integer models and the small float ones.
//
// --cc is another compiler than cc, --cflags are more words for it.
//
// With --cpp each model goes through generated C++ instead: the compiled library must give the same text form.
//
// With --context each model is compiled to a context instead: its outputs must be the model's to the bit, on one thread and on two.
//
// With --all-values every result that is held as codes is an output, too.
//
// With --arithmetic codes are those of another profile than the model names.
//
// With --no-libm models must need nothing but memcpy and memset.
//
//     generated [--arithmetic NAME] [--arm] [--board NAME] [--cpp] [--context] [--all-values] [--no-libm] [--preference NAME] [--rounds N]
//     [--keep FOLDER]
//     [--cc COMPILER] [--cflags WORDS] [MODEL[#x=1,3,224,224] ...]
// default: the public models below
#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <list>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "libcore/base/text.h"
#include "libcore/codegen/generator.h"
#include "libcore/deploy/context.h"
#include "libcore/exec/meaning.h"
#include "libcore/exec/program.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/os/io.h"
#include "libcore/passes/pipelines.h"
#include "tests/codegen/arm.h"
#include "tests/codegen/samples.h"

namespace fs = std::filesystem;
using namespace quern;

namespace {

struct Case {
    const char* path;
    std::vector<std::string> shapes = {};
    const char* refused = nullptr;  // why it cannot be generated
};

const std::vector<Case>& public_models() {
    static const std::vector<Case> cases{
        {"tflite/ad01_autoencoder_int8.tflite"},
        {"tflite/hello_world_int8.tflite"},
        {"tflite/ic01_resnet8_int8.tflite"},
        {"tflite/kws01_dscnn_int8.tflite"},
        {"tflite/micro_speech_int8.tflite"},
        {"tflite/mnist_lstm_int8.tflite"},
        {"tflite/mobilenet_v1_0.25_128_uint8.tflite"},
        {"tflite/vww01_mobilenetv1_025_int8.tflite"},
        {"tflite/kws01_dscnn_hybrid.tflite"},
        {"tflite/dtln_1_dynrange.tflite"},
        {"tflite/dtln_2_dynrange.tflite"},
        {"onnx/mobilenet_edgetpu_qdq_fragment.onnx"},
        {"onnx/mobilenet_v2_qdq_int8.onnx"},
        {"tflite/ad01_autoencoder_float32.tflite"},
        {"tflite/dtln_1_float32.tflite"},
        {"tflite/dtln_2_float32.tflite"},
        {"tflite/hello_world_float32.tflite"},
        {"tflite/ic01_resnet8_float32.tflite"},
        {"tflite/kwt1_keyword_transformer_float32.tflite"},
        {"tflite/mnist_lstm_float32.tflite"},
        {"tflite/speech_recognition_float32.tflite"},
        {"tflite/vww01_mobilenetv1_025_float32.tflite"},
        {"onnx/bert_toy_RANDOM_WEIGHTS.onnx"},
        {"onnx/dtln_1.onnx"},
        {"onnx/dtln_2.onnx"},
        {"onnx/fastestdet.onnx"},
        {"onnx/magika_v3_3.onnx"},
        {"onnx/mnist_cnn_opset8.onnx"},
        {"onnx/ultraface_rfb_320.onnx"},
        {"onnx/ultraface_rfb_320_simplified.onnx"},
        {"circle/one_conv2d.circle"},
        {"circle/one_sample.circle"},
        {"circle/one_test.circle"},
        {"circle/speech_recognition_float32.circle"},
    };
    return cases;
}

// ---- one model -----------------------------------------------------------------------------------------------------------------

struct Library {
    void* handle = nullptr;
    ~Library() {
        if (handle) dlclose(handle);
    }
};

Graph shaped(const Case& one, Model& model) {
    for (const std::string& shape : one.shapes) set_input_shape(model.graph, shape);
    for (const ValueId id : model.graph.inputs) {  // what is still open: one sample
        const Value& value = model.graph.value(id);
        if (value.type.shape.fixed() || !value.type.shape.ranked) continue;
        std::string spec = value.name + "=";
        for (const Dim& dim : value.type.shape.dims) spec += fmt::format("{},", dim.known() ? dim.value : 1);
        spec.pop_back();
        set_input_shape(model.graph, spec);
    }
    return model.graph;
}

bool arm = false, cpp = false, contexts = false, all_values = false, no_libm = false;
Preference preference = Preference::usual;
int rounds = 3;
std::string compiler = "cc", more_flags, arithmetic;
const ArmBoard* board = &arm_boards().front();

// Every result that is held as codes leaves the graph, so that it is compared.
void show_all_codes(Graph& graph) {
    std::set<ValueId> shown(graph.outputs.begin(), graph.outputs.end());
    for (const NodeId id : graph.topo())
        for (const ValueId out : graph.node(id).out)
            if (out != ValueId::none && graph.value(out).enc && graph.value(out).enc->is_fixed() &&
                graph.value(out).type.shape.concrete() && shown.insert(out).second)
                graph.outputs.push_back(out);
}

std::string check_cpp(const std::string& path, const std::string& folder) {
    Model model = read_model(path);
    GenerateRequest request{.model = model, .model_path = path, .output = folder, .options = {{"name", "net"}, {"lib", "yes"}}};
    const Generated made = cpp_generator.generate(request);
    write_model(model, folder + "/wanted.mlir", "text");
    write_model(read_model(folder + "/libnet.so"), folder + "/got.mlir", "text");
    fmt::print("  {}\n", made.notes.at(0));
    return map_input(folder + "/wanted.mlir").text() == map_input(folder + "/got.mlir").text() ? "" : "the library gives another model";
}

std::string check_context(const Case& one, const std::string& path, const std::string& folder) {
    Model model = read_model(path);
    const Graph graph = shaped(one, model);
    const Mode mode = own_mode(graph);
    MixedOptions options;
    options.compile.mode = mode;
    OutputFile file(folder + "/net.qctx");
    write_context({{"main", MixedProgram::compile(graph, options), model.lineage.text()}}, file);
    file.commit();
    const Context context(map_input(folder + "/net.qctx"));
    const auto program = Program::compile(as_encoded(graph), {.mode = mode});
    const auto loaded = context.load(context.graphs().front());
    std::mt19937 random(7);
    for (const int threads : {1, 2}) {
        ThreadPool pool(threads);
        Session session(program, pool);
        const auto other = loaded->open({.threads = threads});
        for (int round = 0; round < 2; ++round) {
            std::vector<Tensor> inputs;
            for (const ValueId id : graph.inputs) inputs.push_back(random_input(graph.value(id), random));
            const auto wanted = session.run(inputs), got = other->run(inputs);
            for (size_t i = 0; i < wanted.size(); ++i)
                if (wanted[i].dims != got.at(i).dims || wanted[i].data.text() != got[i].data.text())
                    return fmt::format("output {} differs on {} threads", i, threads);
        }
    }
    fmt::print("  {}, the same to the bit\n", mode == Mode::integer ? "integer" : "float");
    return {};
}

bool needs_only_memory(const std::string& folder, const std::string& flags) {
    return shell(fmt::format("cd {} && cc {} -c net.c && ! nm -u net.o | grep -v -w -e memcpy -e memset", folder, flags)) == 0;
}

std::string check(const Case& one, const std::string& path, const std::string& folder) {
    Model model = read_model(path);
    GenerateRequest request{.model = {}, .model_path = path, .output = folder, .preference = preference, .options = {{"name", "net"}}};
    if (!arithmetic.empty()) request.options["arithmetic"] = arithmetic;
    Graph graph = shaped(one, model);
    if (all_values) {
        graph = as_folded(graph);
        show_all_codes(graph);
        model.graph = graph;
    }
    request.model = model;
    const Generated made = c_generator.generate(request);
    const std::string header(map_input(folder + "/net.h").text());
    const bool freestanding = header.find("math.h") == std::string::npos, integer = header.find("Integer model") != std::string::npos;
    const std::string flags =
        fmt::format("-std=c99 -pedantic -O2 -Wall -Wextra -Werror{} {}", freestanding ? " -ffreestanding" : "", more_flags);
    const std::string link = freestanding ? "" : " -lm";
    if (shell(fmt::format("{0} {1} -shared -fPIC -o {2}/net.so {2}/net.c{3}", compiler, flags, folder, link)) != 0)
        return "does not compile";
    if (no_libm && !(freestanding && needs_only_memory(folder, flags))) return "needs a library";
    Library library{dlopen((folder + "/net.so").c_str(), RTLD_NOW | RTLD_LOCAL)};
    if (!library.handle) return dlerror();
    const auto invoke = reinterpret_cast<void (*)(const void* const*, void* const*)>(dlsym(library.handle, "net_invoke"));

    CompileOptions options{.mode = integer ? Mode::integer : Mode::floating, .reference = true, .profile = profile_named(arithmetic)};
    const auto program = Program::compile(graph, options);
    const auto& compiled = dynamic_cast<const CompiledGraph&>(*program);
    ThreadPool pool(2);
    Session session(program, pool);
    std::mt19937 random(7);
    double worst = 0;
    int64_t codes = 0, wrong = 0;
    std::vector<Tensor> arm_in, arm_out;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Tensor> logical, held;
        for (const ValueId id : compiled.graph().inputs) {
            const Value& value = compiled.graph().value(id);
            logical.push_back(random_input(value, random));
            held.push_back(compiled.encoded(id) ? quantize(logical.back(), *value.enc) : logical.back());
        }
        const auto wanted = session.run(logical);
        std::vector<const void*> in;
        std::vector<void*> out;
        std::vector<std::vector<std::byte>> memory;
        for (const Tensor& tensor : held) in.push_back(tensor.data.data());
        for (size_t i = 0; i < wanted.size(); ++i) {
            const ValueId id = compiled.graph().outputs[i];
            const DType dtype = compiled.encoded(id) ? compiled.graph().value(id).enc->storage : wanted[i].dtype;
            memory.emplace_back(storage_size(dtype, static_cast<uint64_t>(wanted[i].count())), std::byte{0x5a});
            out.push_back(memory.back().data());
        }
        invoke(in.data(), out.data());
        arm_in = held;
        arm_out.clear();
        for (size_t i = 0; i < wanted.size(); ++i) {
            const ValueId id = compiled.graph().outputs[i];
            const Encoding* e = compiled.encoded(id) ? &*compiled.graph().value(id).enc : nullptr;
            arm_out.push_back(e ? quantize(wanted[i], *e) : wanted[i]);
            Tensor got{e ? e->storage : wanted[i].dtype, wanted[i].dims, Bytes::own(memory[i])};
            if (e) {
                const auto a = to_ints(quantize(wanted[i], *e)), b = to_ints(got);
                int64_t here = 0;
                for (size_t k = 0; k < a.size(); ++k) here += a[k] != b[k];
                if (here > 0 && wrong == 0)
                    fmt::print("  first: {} of {} codes of \"{}\" differ\n", here, a.size(), escape(compiled.graph().value(id).name));
                codes += static_cast<int64_t>(a.size());
                wrong += here;
                continue;
            }
            const auto a = to_doubles(wanted[i]), b = to_doubles(got);
            double most = 0, apart = 0;
            for (size_t k = 0; k < a.size(); ++k) {
                most = std::max(most, std::abs(a[k]));
                apart = std::max(apart, a[k] == b[k] || (a[k] != a[k] && b[k] != b[k]) ? 0 : std::abs(a[k] - b[k]));
                if (b[k] != b[k] && a[k] == a[k]) apart = HUGE_VAL;
            }
            worst = std::max(worst, most > 0 ? apart / most : apart);
        }
    }
    fmt::print("  {}{}; {} of {} codes differ, numbers by {:.2g}\n", integer ? "integer, " : "float, ", made.notes.at(0), wrong, codes,
               worst);
    std::fflush(stdout);
    if (wrong > 0) return fmt::format("{} of {} codes differ", wrong, codes);
    // Freestanding integer models compute as the reference does; libm and other orders of float sums may differ.
    if (!(worst <= (integer && freestanding ? 0 : 1e-5))) return fmt::format("numbers differ by {:.3g}", worst);
    return arm ? check_on_arm(*board, folder, freestanding, arm_in, arm_out) : "";
}

bool suits_arm(std::string_view path) {
    static constexpr std::array words{"int8", "hybrid", "dynrange", "hello", "ic01", "speech", "mnist", "fragment", "one_", ".i8", ".i16"};
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return path.find(word) != path.npos; });
}

// The models of the folder that are not among the cases yet.
void add_all_of(const std::string& root, const char* folder, const char* kind, std::list<std::string>& names, std::vector<Case>& cases) {
    for (const auto& entry : fs::recursive_directory_iterator(root + folder)) {
        const std::string path = fs::relative(entry.path(), root).string();
        const bool known = std::any_of(cases.begin(), cases.end(), [&](const Case& one) { return one.path == path; });
        if (!known && entry.path().extension() == kind) cases.push_back({names.emplace_back(path).c_str()});
    }
}

// What exporters made: tests/models/exports, each net once.
void add_exports(const std::string& root, std::list<std::string>& names, std::vector<Case>& cases) {
    for (const char* suffix : {".tflite", ".onnx"}) add_all_of(root, "", suffix, names, cases);
    std::erase_if(cases, [](const Case& one) {
        return std::string_view(one.path).find(".f16.") != std::string_view::npos ||
               std::string_view(one.path).find(".dynamo.") != std::string_view::npos;
    });
    std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return std::string_view(a.path) < b.path; });
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<Case> cases;
    std::list<std::string> names;
    std::string folder = (fs::temp_directory_path() / fmt::format("quern-generated-{}", getpid())).string();
    bool keep = false, exported = false;
    const std::map<std::string, bool*> flags{
        {"--cpp", &cpp}, {"--context", &contexts}, {"--arm", &arm}, {"--all-values", &all_values}, {"--no-libm", &no_libm}};
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (const auto flag = flags.find(word); flag != flags.end()) {
            *flag->second = true;
            continue;
        }
        if (word == "--preference" && i + 1 < argc) {
            const std::string wish = argv[++i];
            preference = wish == "speed" ? Preference::speed : wish == "size" ? Preference::size : Preference::usual;
            continue;
        }
        if (word == "--board" && i + 1 < argc) {
            board = arm_board(argv[++i]);
            continue;
        }
        if (word == "--arithmetic" && i + 1 < argc) {
            arithmetic = argv[++i];
            continue;
        }
        if (word == "--cc" && i + 1 < argc) {
            compiler = argv[++i];
            continue;
        }
        if (word == "--cflags" && i + 1 < argc) {
            more_flags = argv[++i];
            continue;
        }
        if (word == "--rounds" && i + 1 < argc) {
            rounds = std::atoi(argv[++i]);
            continue;
        }
        if (word == "--keep" && i + 1 < argc) {
            folder = argv[++i];
            keep = true;
            continue;
        }
        const auto parts = split(word, '#');
        names.push_back(parts[0]);
        cases.push_back({names.back().c_str(), {parts.begin() + 1, parts.end()}});
    }
    if (arm && !has_arm_tools()) {
        fmt::print("skipped: arm-none-eabi-gcc and qemu-system-arm are not both there\n");
        return std::getenv("CI") ? 1 : 77;
    }
    const char* models = std::getenv("MODELS");
    std::string root = cases.empty() ? fmt::format("{}/", models ? models : QUERN_DEFAULT_MODELS) : "";
    if (cases.empty() && !fs::exists(root)) {
        if (std::getenv("CI")) throw io_error("{} is not there", root);
        fmt::print("the folder of public models is not there: small exported models stand in\n");
        root = QUERN_EXPORTED_MODELS "/";
        add_exports(root, names, cases);
        exported = true;
        if (arm) std::erase_if(cases, [](const Case& one) { return !suits_arm(one.path); });
    } else if (cases.empty()) {
        cases = public_models();
        if (cpp) cases.insert(cases.end(), {{"onnx/silero_vad_16k_op15.onnx"}, {"circle/tinyllama_v0_prefill_q4_0.circle"}});
        if (contexts) cases.push_back({"onnx/silero_vad_16k_op15.onnx", {"input=1,512"}});
        if (contexts)
            for (const auto& [kind, suffix] : {std::pair{"circle", ".circle"}, {"onnx", ".onnx"}, {"tflite", ".tflite"}})
                add_all_of(root, kind, suffix, names, cases);
        if (!contexts && !cpp && !arm) add_all_of(root, "tflite/seanet_int16", ".tflite", names, cases);
        if (arm) std::erase_if(cases, [](const Case& one) { return !suits_arm(one.path); });
    }
    int failures = 0;
    size_t refused = 0;  // of the exported ones: a quarter at most
    for (const Case& one : cases) {
        fmt::print("{}\n", one.path);
        std::fflush(stdout);
        fs::create_directories(folder);
        std::string trouble;
        try {
            const auto& how = contexts ? check_context : check;
            trouble = cpp ? check_cpp(root + one.path, folder) : how(one, root + one.path, folder);
        } catch (const Error& error) {
            trouble = error.message();
            for (const std::string& line : error.details()) trouble += "\n    " + line;
            if (exported && error.exit() == Exit::unsupported) {
                fmt::print("  refused: {}\n", std::exchange(trouble, ""));
                ++refused;
            }
        }
        if (!trouble.empty()) fmt::print("  FAILED: {}\n", trouble);
        failures += !trouble.empty();
        if (!keep) fs::remove_all(folder);
    }
    fmt::print("{} models, {} refused, {} failures\n", cases.size(), refused, failures);
    return failures || 4 * refused > cases.size() ? 1 : 0;
}
