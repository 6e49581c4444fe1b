// Generated C beside the interpreter: each model is generated, compiled with the strictest flags, loaded and run on random samples.
// Integer models must give the same codes as `run --mode int --reference`, float ones the same numbers within 1e-5 of the largest.
//
//     generated [--keep FOLDER] [MODEL[#x=1,3,224,224] ...]      default: the public models below
#include <dlfcn.h>
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "libcore/base/io.h"
#include "libcore/base/text.h"
#include "libcore/exec/program.h"
#include "libcore/graph/edit.h"
#include "libcore/session/codegen/generator.h"

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

int shell(const std::string& command) { return std::system(command.c_str()); }

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

Tensor random_input(const Value& value, std::mt19937& random) {
    const Dims dims = value.type.shape.concrete().value();
    const auto count = static_cast<size_t>(count_of(dims));
    if (is_float(value.type.dtype)) {
        std::vector<float> items(count);
        float scale = 1, zero = 0;
        if (value.enc) {
            scale = to_floats(value.enc->scale)[0] * 128;
            zero = value.enc->zero.defined() ? static_cast<float>(to_ints(value.enc->zero)[0]) : 0;
            const float middle = (static_cast<float>(value.enc->qmin + value.enc->qmax) / 2 - zero) * to_floats(value.enc->scale)[0];
            for (float& item : items) item = middle + scale * (static_cast<float>(random() % 2001) / 1000 - 1);
        } else {
            for (float& item : items) item = static_cast<float>(random() % 2001) / 1000 - 1;
        }
        return from_floats(value.type.dtype, dims, items);
    }
    std::vector<int64_t> items(count);
    for (int64_t& item : items) item = static_cast<int64_t>(random() % 16);  // tokens that every model has
    return from_ints(value.type.dtype, dims, items);
}

std::string check(const Case& one, const std::string& path, const std::string& folder) {
    Model model = read_model(path);
    GenerateRequest request{.model = {}, .model_path = path, .output = folder, .options = {{"name", "net"}}};
    const Graph graph = shaped(one, model);
    request.model = model;
    const Generated made = c_generator.generate(request);
    const std::string header(map_input(folder + "/net.h").text());
    const bool freestanding = header.find("math.h") == std::string::npos, integer = header.find("Integer model") != std::string::npos;
    const std::string flags = fmt::format("-std=c99 -O2 -Wall -Wextra -Werror{}", freestanding ? " -ffreestanding" : "");
    if (shell(fmt::format("cc {0} -shared -fPIC -o {1}/net.so {1}/net.c{2}", flags, folder, freestanding ? "" : " -lm")) != 0)
        return "does not compile";
    Library library{dlopen((folder + "/net.so").c_str(), RTLD_NOW | RTLD_LOCAL)};
    if (!library.handle) return dlerror();
    const auto invoke = reinterpret_cast<void (*)(const void* const*, void* const*)>(dlsym(library.handle, "net_invoke"));

    CompileOptions options{.mode = integer ? Mode::integer : Mode::floating, .reference = true};
    const auto program = Program::compile(graph, options);
    const auto& compiled = dynamic_cast<const CompiledGraph&>(*program);
    ThreadPool pool(2);
    Session session(program, pool);
    std::mt19937 random(7);
    double worst = 0;
    int64_t codes = 0, wrong = 0;
    for (int round = 0; round < 3; ++round) {
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
        for (size_t i = 0; i < wanted.size(); ++i) {
            const ValueId id = compiled.graph().outputs[i];
            const Encoding* e = compiled.encoded(id) ? &*compiled.graph().value(id).enc : nullptr;
            Tensor got{e ? e->storage : wanted[i].dtype, wanted[i].dims, Bytes::own(memory[i])};
            if (e) {
                const auto a = to_ints(quantize(wanted[i], *e)), b = to_ints(got);
                codes += static_cast<int64_t>(a.size());
                for (size_t k = 0; k < a.size(); ++k) wrong += a[k] != b[k];
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
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<Case> cases;
    std::vector<std::string> names;
    std::string folder = (fs::temp_directory_path() / fmt::format("quern-generated-{}", getpid())).string();
    bool keep = false;
    names.reserve(static_cast<size_t>(argc));
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--keep" && i + 1 < argc) {
            folder = argv[++i];
            keep = true;
            continue;
        }
        const auto parts = split(word, '#');
        names.push_back(parts[0]);
        cases.push_back({names.back().c_str(), {parts.begin() + 1, parts.end()}});
    }
    const char* models = std::getenv("MODELS");
    const std::string root = cases.empty() ? fmt::format("{}/", models ? models : QUERN_DEFAULT_MODELS) : "";
    if (cases.empty()) {
        if (!fs::exists(root)) {
            fmt::print("skipped: the folder of public models is not there\n");
            return std::getenv("CI") ? 1 : 77;
        }
        cases = public_models();
    }
    int failures = 0;
    for (const Case& one : cases) {
        fmt::print("{}\n", one.path);
        std::fflush(stdout);
        fs::create_directories(folder);
        std::string trouble;
        try {
            trouble = check(one, root + one.path, folder);
        } catch (const Error& error) {
            trouble = error.message();
            for (const std::string& line : error.details()) trouble += "\n    " + line;
        }
        if (!trouble.empty()) fmt::print("  FAILED: {}\n", trouble);
        failures += !trouble.empty();
        if (!keep) fs::remove_all(folder);
    }
    fmt::print("{} models, {} failures\n", cases.size(), failures);
    return failures ? 1 : 0;
}
