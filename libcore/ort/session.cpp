#include "libcore/ort/session.h"

#include <algorithm>
#include <filesystem>

#include "formats/onnx/onnx.h"
#include "libcore/base/few.h"
#include "libcore/base/text.h"
#include "libcore/deploy/context.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/os/io.h"
#include "libcore/os/temporary.h"

namespace quern::ort {
namespace {

template <class S, class T>
Held<T> held(T* object) {
    // A function without state, as unique_ptr's deleter has it.
    return Held<T>(object, [](T* gone) { Runtime::get().api().get<S>(gone); });
}

struct SessionPlan {
    int threads = 1;
    bool alone = true;    // a node that the provider does not take is an error
    bool record = false;  // which provider takes which node
    bool exact = true;    // sums
};

Held<OrtSessionOptions> options_for(const Settings& settings, const SessionPlan& plan) {
    Runtime& runtime = Runtime::get();
    const Table& api = runtime.api();
    OrtSessionOptions* made = nullptr;
    api.call<slot::CreateSessionOptions>(&made);
    Held<OrtSessionOptions> options = held<slot::ReleaseSessionOptions>(made);
    api.call<slot::SetIntraOpNumThreads>(made, plan.threads);
    const auto entry = [&](const std::string& key, const std::string& text) {
        api.call<slot::AddSessionConfigEntry>(made, key.c_str(), text.c_str());
    };
    const bool others = settings.provider->name != "cpu";
    // Sums of uint8 by int8 saturate on processors without VNNI unless onnxruntime is told that exactness counts.
    if (plan.exact) entry("session.x64quantprecision", "1");
    if (plan.alone && others) entry("session.disable_cpu_ep_fallback", "1");
    if (plan.record) entry("session.record_ep_graph_assignment_info", "1");
    for (const auto& [key, text] : settings.session) entry(key, text);
    if (!others) return options;
    const std::vector<const OrtEpDevice*> devices = runtime.devices(*settings.provider);
    std::vector<const char*> keys, texts;
    for (const auto& [key, text] : settings.own) {
        keys.push_back(key.c_str());
        texts.push_back(text.c_str());
    }
    const OrtEpDevice* const* first = devices.data();
    const char *const *key_list = keys.data(), *const *text_list = texts.data();
    api.call<slot::AppendExecutionProviderV2>(made, runtime.env(), first, size_t{1}, key_list, text_list, keys.size());
    return options;
}

Held<OrtSession> session_of(const Bytes& onnx, const OrtSessionOptions* options) {
    Runtime& runtime = Runtime::get();
    OrtSession* made = nullptr;
    runtime.api().call<slot::CreateSessionFromArray>(runtime.env(), onnx.data(), onnx.size(), options, &made);
    return held<slot::ReleaseSession>(made);
}

// With exact sums onnxruntime loads no weights of 8 bits that two operators read: models with such have its usual ones.
Held<OrtSession> session_of(const Bytes& onnx, const Settings& settings, SessionPlan plan) {
    try {
        return session_of(onnx, options_for(settings, plan).get());
    } catch (const Error& error) {
        if (!plan.exact || error.message().find("replace the existing tensor") == std::string::npos) throw;
    }
    plan.exact = false;
    return session_of(onnx, options_for(settings, plan).get());
}

// What stands between `before` and `behind`, from `at` on, which is moved beyond it; nullopt if there is no more.
std::optional<std::string> between(std::string_view line, std::string_view before, std::string_view behind, size_t& at) {
    const size_t begin = line.find(before, at);
    if (begin == line.npos) return std::nullopt;
    const size_t end = line.find(behind, begin + before.size());
    if (end == line.npos) return std::nullopt;
    at = end + behind.size();
    return std::string(line.substr(begin + before.size(), end - begin - before.size()));
}

// "... failed for node `conv` of type `Conv2d` with error code 3110"
void add_failed(std::string_view line, std::map<std::string, std::string>& out) {
    size_t at = 0;
    const auto node = between(line, "failed for node `", "`", at);
    const auto type = node ? between(line, " of type `", "`", at) : std::nullopt;
    if (!type) return;
    constexpr std::string_view code = "error code ";
    const size_t number = line.find(code, at);
    out[*node] =
        fmt::format("refused as {}{}", *type, number == line.npos ? "" : fmt::format(", error {}", line.substr(number + code.size())));
}

// "Unsupported nodes in QNN EP: { name: a, type: Mod }, { name: b, type: Erf }"
void add_unsupported(std::string_view line, std::map<std::string, std::string>& out) {
    size_t at = line.find("nsupported nodes");
    while (at != line.npos && at < line.size()) {
        const auto node = between(line, "name: ", ", type: ", at);
        const auto type = node ? between(line, "", "}", at) : std::nullopt;
        if (!type) return;
        out.try_emplace(*node, fmt::format("{} is not supported", trim(*type)));
    }
}

// A node that onnxruntime changed has "_token_7" behind its name.
std::string own_name(const std::string& name) {
    constexpr std::string_view mark = "_token_";
    const size_t at = name.rfind(mark);
    const bool marked = at != name.npos && parse_int(std::string_view(name).substr(at + mark.size()));
    return marked ? name.substr(0, at) : name;
}

// Refusals as QNN's provider logs them, by the names that they have there and by those before.
std::map<std::string, std::string> refusals_in(const std::vector<std::string>& lines) {
    std::map<std::string, std::string> out;
    for (const std::string& line : lines) {
        add_failed(line, out);
        add_unsupported(line, out);
    }
    const auto logged = out;
    for (const auto& [name, why] : logged) out.try_emplace(own_name(name), why);
    return out;
}

std::string text_of(const std::map<std::string, std::string>& refused) {
    std::vector<std::string> texts;
    for (const auto& [node, why] : refused)
        if (own_name(node) == node) texts.push_back(fmt::format("\"{}\": {}", escape(node), why));
    return join(few_of(std::move(texts)), "; ");
}

// `body`, whose failure gets what the provider refused meanwhile.
template <class Body>
auto with_refusals(const Body& body) {
    const Runtime::Listening listening(Runtime::get());
    try {
        return body();
    } catch (const Error& error) {
        const auto refused = refusals_in(listening.lines());
        if (refused.empty()) throw;
        throw Error(error.exit(), fmt::format("{} ({})", text_of(refused), error.message()));
    }
}

// Every node that another provider got.
void add_assigned(const OrtSession* session, const Provider& provider, Taken& out) {
    const Table& api = Runtime::get().api();
    const OrtAssignedSubgraph* const* parts = nullptr;
    size_t count = 0;
    api.call<slot::GetEpGraphAssignmentInfo>(session, &parts, &count);
    for (size_t i = 0; i < count; ++i) {
        const char* taker = nullptr;
        api.call<slot::AssignedSubgraphEpName>(parts[i], &taker);
        if (provider.own == taker) continue;
        const OrtAssignedNode* const* nodes = nullptr;
        size_t node_count = 0;
        api.call<slot::AssignedSubgraphNodes>(parts[i], &nodes, &node_count);
        for (size_t n = 0; n < node_count; ++n) {
            const char* name = nullptr;
            api.call<slot::AssignedNodeName>(nodes[n], &name);
            out.refused.try_emplace(own_name(name), fmt::format("{} does not take it, {} would", provider.own, taker));
        }
    }
}

Tensor tensor_of(const OrtValue* value, void* data) {
    const Table& api = Runtime::get().api();
    OrtTensorInfo* made = nullptr;
    api.call<slot::GetTensorTypeAndShape>(value, &made);
    const Held<OrtTensorInfo> info = held<slot::ReleaseTensorInfo>(made);
    int dtype = 0;
    size_t rank = 0;
    api.call<slot::GetTensorElementType>(made, &dtype);
    api.call<slot::GetDimensionsCount>(made, &rank);
    Tensor out;
    const auto known = dtype_of_onnx(dtype);
    if (!known) throw unsupported("an output has elements of type {}", dtype);
    out.dtype = *known;
    out.dims.resize(rank);
    api.call<slot::GetDimensions>(made, out.dims.data(), rank);
    out.data = Bytes::borrow(data, storage_size(out.dtype, static_cast<uint64_t>(out.count())));
    return out;
}

std::vector<const char*> c_texts(std::span<const std::string> texts) {
    std::vector<const char*> out;
    out.reserve(texts.size());
    for (const std::string& text : texts) out.push_back(text.c_str());
    return out;
}

bool is_context(const Node& node) { return node.op->name == "EPContext"; }

// Do codes cross the border of a context that others compiled? Q and DQ around it are the processor's.
bool has_linear_around_context(const Bytes& onnx) {
    const Graph graph = onnx_format::read(onnx, "-").graph;
    const auto any = [&](const auto& is) { return std::ranges::any_of(graph.order(), [&](NodeId id) { return is(graph.node(id)); }); };
    return any(is_context) && any(is_linear);
}

// Nodes that are beside the contexts of a compiled model: those that are left to the processor.
std::vector<std::string> left_beside(const Bytes& compiled) {
    const Graph graph = onnx_format::read(compiled, "-").graph;
    std::vector<std::string> out;
    for (const NodeId id : graph.order())
        if (!is_context(graph.node(id))) out.push_back(graph.node(id).name);
    return out;
}

// Compiles; what, where the product goes, and whether binaries are inside it, are `choose`'s to say.
template <class Choose>
void compile_by(const Settings& settings, const Choose& choose) {
    Runtime& runtime = Runtime::get();
    const Table& compile = runtime.compile_api();
    const auto options = options_for(settings, {.alone = false});  // which counts several contexts of one model as nodes that are left
    const OrtEnv* env = runtime.env();
    OrtCompileOptions* made = nullptr;
    compile.call<compile_slot::FromSessionOptions>(env, options.get(), &made);
    const Held<OrtCompileOptions> how(made, [](OrtCompileOptions* gone) { Runtime::get().compile_api().get<compile_slot::Release>(gone); });
    choose(compile, made);
    compile.call<compile_slot::SetGraphOptimizationLevel>(made, enable_all);
    compile.call<compile_slot::CompileModel>(env, made);
}

// The model with the provider's binaries in it, and what it leaves.
Bytes compile_model(const Bytes& onnx, const Settings& settings) {
    const Table& api = Runtime::get().api();
    OrtAllocator* allocator = nullptr;
    api.call<slot::GetAllocatorWithDefaultOptions>(&allocator);
    void* data = nullptr;
    size_t size = 0;
    compile_by(settings, [&](const Table& compile, OrtCompileOptions* how) {
        compile.call<compile_slot::SetInputModelFromBuffer>(how, onnx.data(), onnx.size());
        compile.call<compile_slot::SetOutputModelBuffer>(how, allocator, &data, &size);
        compile.call<compile_slot::SetEpContextEmbedMode>(how, true);
    });
    if (!data) throw unsupported("{} made no context", settings.provider->own);
    Bytes out = Bytes::copy(data, size);
    api.call<slot::AllocatorFree>(allocator, data);
    return out;
}

Bytes bytes_of(const std::filesystem::path& path) {
    const Bytes mapped = map_input(path.string());
    return Bytes::copy(mapped.data(), mapped.size());
}

// All nodes of a compiled model are contexts.
Bytes whole(Bytes compiled, const Settings& settings) {
    if (const auto left = left_beside(compiled); !left.empty())
        throw unsupported("{} does not take {}", settings.provider->own, join(few_of(left), ", "));
    return compiled;
}

}  // namespace

bool is_linear(const Node& node) {
    return node.is(ops::QuantizeLinear, ops::DequantizeLinear, ops::microsoft::QuantizeLinear, ops::microsoft::DequantizeLinear);
}

Taken taken_of(const Bytes& onnx, const Settings& settings, bool to_compile) {
    Taken out;
    const Provider& provider = *settings.provider;
    const Runtime::Listening listening(Runtime::get());
    try {
        if (to_compile && provider.contexts) {
            for (const std::string& name : left_beside(compile_model(onnx, settings)))
                out.refused.try_emplace(own_name(name), fmt::format("{} does not take it", provider.own));
        } else {
            add_assigned(session_of(onnx, settings, {.alone = false, .record = true}).get(), provider, out);
        }
    } catch (const Error& error) {
        out.failure = error.message();
    }
    for (const auto& [name, why] : refusals_in(listening.lines()))
        if (!out.failure.empty() || out.refused.contains(name)) out.refused[name] = why;
    out.all = out.failure.empty() && out.refused.empty();
    return out;
}

Bytes compiled(const Bytes& onnx, const Settings& settings) {
    return whole(with_refusals([&] { return compile_model(onnx, settings); }), settings);
}

std::vector<Bytes> compiled_together(std::span<const Bytes> models, const Settings& settings) {
    const TemporaryFolder folder;
    Settings own = settings;
    own.session.emplace_back("ep.share_ep_contexts", "1");
    std::vector<Bytes> out;
    std::string path;
    for (const Bytes& onnx : models) {
        path = fmt::format("{}/{}.onnx", folder.path(), out.size());
        const std::string source =
            fmt::format("{}/{}-source.onnx", folder.path(), out.size());  // what graphs are named by: alike in memory
        OutputFile file(source);
        file.write(onnx);
        file.commit();
        if (out.size() + 1 == models.size()) own.session.emplace_back("ep.stop_share_ep_contexts", "1");
        with_refusals([&] {
            compile_by(own, [&](const Table& compile, OrtCompileOptions* how) {
                compile.call<compile_slot::SetInputModelPath>(how, source.c_str());
                compile.call<compile_slot::SetOutputModelPath>(how, path.c_str());
                compile.call<compile_slot::SetEpContextEmbedMode>(how, false);
            });
        });
        out.push_back(whole(bytes_of(path), own));
    }
    Model last = onnx_format::read(out.back(), "-");
    if (!embed_others_contexts(last.graph, path)) throw unsupported("{} made no context", settings.provider->own);
    SpoolFile spool;
    onnx_format::write(last, spool.file(), {});
    out.back() = spool.finish();
    return out;
}

Bytes dlc_of(const Bytes& onnx, const Settings& settings) {
    const TemporaryFolder folder;
    Settings dumping = settings;
    dumping.own.emplace_back("dump_qnn_ir_dlc", "1");
    dumping.own.emplace_back("dump_qnn_ir_dlc_dir", folder.path());
    const ProviderSession session(onnx, dumping, 1);
    std::vector<std::string> made;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) made.push_back(entry.path());
    if (made.size() != 1) throw unsupported("{} made {} containers of one graph", settings.provider->own, made.size());
    return bytes_of(made.front());
}

ProviderSession::ProviderSession(const Bytes& onnx, const Settings& settings, int threads) : session_(nullptr, nullptr) {
    session_ = with_refusals([&] { return session_of(onnx, settings, {.threads = threads, .alone = !has_linear_around_context(onnx)}); });
}

ProviderSession::Outputs ProviderSession::run(std::span<const std::string> input_names, std::span<const Tensor> inputs,
                                              std::span<const std::string> output_names) {
    const Table& api = Runtime::get().api();
    OrtMemoryInfo* memory = nullptr;
    api.call<slot::CreateCpuMemoryInfo>(0, 0, &memory);
    const Held<OrtMemoryInfo> where = held<slot::ReleaseMemoryInfo>(memory);
    std::vector<Held<OrtValue>> given;
    std::vector<const OrtValue*> given_list;
    for (const Tensor& input : inputs) {
        OrtValue* value = nullptr;
        api.call<slot::CreateTensorWithDataAsOrtValue>(memory, const_cast<std::byte*>(input.data.data()), input.data.size(),
                                                       input.dims.data(), input.dims.size(), row_of(input.dtype).onnx, &value);
        given.push_back(held<slot::ReleaseValue>(value));
        given_list.push_back(value);
    }
    const std::vector<const char*> in = c_texts(input_names), out = c_texts(output_names);
    std::vector<OrtValue*> made(out.size());
    const char *const *in_list = in.data(), *const *out_list = out.data();
    const OrtValue* const* values = given_list.data();
    api.call<slot::Run>(session_.get(), nullptr, in_list, values, in.size(), out_list, out.size(), made.data());
    Outputs outputs;
    for (OrtValue* value : made) outputs.values.push_back(held<slot::ReleaseValue>(value));
    for (OrtValue* value : made) {
        void* data = nullptr;
        api.call<slot::GetTensorMutableData>(value, &data);
        outputs.tensors.push_back(tensor_of(value, data));
    }
    return outputs;
}

}  // namespace quern::ort
