#include "tests/random/ways.h"

#include <array>

#include "formats/native/native.h"
#include "formats/text/text.h"
#include "libcore/deploy/context.h"
#include "libcore/exec/meaning.h"
#include "libcore/passes/pass.h"
#include "libcore/passes/passes.h"

namespace quern::random_graphs {
namespace {

using Outputs = std::vector<Stored>;

Outputs run(const Graph& graph, std::span<const Tensor> sample, const CompileOptions& options, int threads = 1) {
    ThreadPool pool(threads);
    Session session(Program::compile(graph, options), pool);
    std::vector<Stored> given;
    for (const Tensor& tensor : sample) given.push_back({tensor, {}});
    return session.run_stored(given);
}

enum class Like : uint8_t { numbers, bits };

std::string difference(const Tensor& wanted, const Tensor& got, Like like) {
    if (wanted.dtype != got.dtype || wanted.dims != got.dims)
        return fmt::format("is {}{}, not {}{}", name_of(got.dtype), to_string(got.dims), name_of(wanted.dtype), to_string(wanted.dims));
    if (identical(wanted, got)) return {};
    const auto a = to_doubles(wanted), b = to_doubles(got);
    double most = 0, apart = 0;
    size_t count = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        if (std::isfinite(a[i])) most = std::max(most, std::abs(a[i]));
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
        ++count;
        const double here = std::abs(a[i] - b[i]);
        apart = std::max(apart, std::isfinite(here) ? here : HUGE_VAL);
    }
    if (like == Like::numbers && is_float(wanted.dtype) && apart <= most * tolerance_of(wanted.dtype)) return {};
    return fmt::format("{} of {} elements differ, by {:.3g} of {:.3g}", count, a.size(), apart, most);
}

std::string difference(const RandomGraph& drawn, const Outputs& wanted, const Outputs& got, Like like) {
    for (size_t i = 0; i < wanted.size(); ++i) {
        const bool codes = wanted[i].encoding.has_value();
        if (codes != got.at(i).encoding.has_value()) return fmt::format("output {} has another form", i);
        const std::string what = difference(wanted[i].tensor, got[i].tensor, codes ? Like::bits : like);
        if (!what.empty()) return fmt::format("output \"{}\": {}", drawn.graph.value(drawn.graph.outputs[i]).name, what);
    }
    return {};
}

std::string by_kernels(const RandomGraph& drawn, const Wanted& wanted) {
    return difference(drawn, wanted.outputs, run(drawn.graph, drawn.sample, {.mode = wanted.mode}), Like::numbers);
}

std::string by_threads(const RandomGraph& drawn, const Wanted& wanted) {
    const CompileOptions options{.mode = wanted.mode};
    return difference(drawn, run(drawn.graph, drawn.sample, options), run(drawn.graph, drawn.sample, options, 3), Like::bits);
}

std::string observed(const RandomGraph& drawn, const Wanted& wanted) {
    return difference(drawn, wanted.outputs, run(drawn.graph, drawn.sample, {.mode = wanted.mode, .observable = true}), Like::numbers);
}

Bytes bytes_of(const std::function<void(OutputFile&)>& write) {
    std::string text;
    OutputFile file([&](const void* data, size_t size) { text.append(static_cast<const char*>(data), size); });
    write(file);
    file.commit();
    return Bytes::copy_of(std::span(reinterpret_cast<const std::byte*>(text.data()), text.size()));
}

std::string by_context(const RandomGraph& drawn, const Wanted& wanted) {
    MixedOptions options;
    options.compile.mode = wanted.mode;
    const Context context(bytes_of([&](OutputFile& file) {
        write_context({{"main", MixedProgram::compile(drawn.graph, options), ""}}, file);
    }));
    const auto opened = context.load(context.graphs().front())->open({.threads = 1});
    ThreadPool pool(1);
    Session session(Program::compile(drawn.graph, {.mode = wanted.mode}), pool);
    for (int round = 0; round < 2; ++round) {
        const auto want = session.run(drawn.sample), got = opened->run(drawn.sample);
        for (size_t i = 0; i < want.size(); ++i)
            if (const std::string what = difference(want[i], got.at(i), Like::bits); !what.empty())
                return fmt::format("output {} of run {}: {}", i, round, what);
    }
    return {};
}

std::string text_of(const Model& model) {
    std::string out;
    print_text(model, {}, [&](std::string_view part) { out += part; });
    return out;
}

std::string by_native_file(const RandomGraph& drawn, const Wanted&) {
    Model model;
    model.graph = drawn.graph;
    const Bytes file = bytes_of([&](OutputFile& to) { native_format::write(model, to); });
    return text_of(native_format::read(file, "-")) == text_of(model) ? "" : "another graph is read back";
}

std::string by_text(const RandomGraph& drawn, const Wanted&) {
    const std::string text = print_text(drawn.graph);
    return print_text(parse_text(text).graph) == text ? "" : "another text is printed";
}

// Rewrites that graphs with encodings may go through, too.
bool keeps_codes(const Pass& pass) {
    return pass.name.starts_with("drop") || pass.name.starts_with("merge") || pass.name == "fold_constants";
}

std::string by_passes(const RandomGraph& drawn, const Wanted& wanted) {
    for (const Pass* pass : all_passes()) {
        if (pass == &to_float32 || (wanted.mode == Mode::integer && !keeps_codes(*pass))) continue;  // one gives inputs another type
        RandomGraph other = drawn;
        if (run_passes(other.graph, std::array{pass}) == 0) continue;
        verify(other.graph);
        const Outputs got = run(other.graph, drawn.sample, {.mode = wanted.mode, .reference = true});
        if (const std::string what = difference(drawn, wanted.outputs, got, Like::numbers); !what.empty())
            return fmt::format("{}: {}", pass->name, what);
    }
    return {};
}

}  // namespace

Wanted reference_of(const RandomGraph& drawn) {
    const Mode mode = own_mode(drawn.graph);
    return {mode, run(drawn.graph, drawn.sample, {.mode = mode, .reference = true})};
}

std::span<const Way> ways() {
    static const std::array all{Way{"kernels", by_kernels}, Way{"threads", by_threads},    Way{"observed", observed},
                                Way{"context", by_context}, Way{"native", by_native_file}, Way{"text", by_text},
                                Way{"passes", by_passes}};
    return all;
}

Trouble trouble_of(const RandomGraph& drawn, const Way& way, const Wanted& wanted) {
    try {
        const std::string what = way.difference(drawn, wanted);
        return what.empty() ? Trouble{} : Trouble{std::string(way.name), what};
    } catch (const std::exception& error) {
        return {std::string(way.name), std::string("is refused: ") + error.what()};
    }
}

Trouble trouble_of(const RandomGraph& drawn) {
    Wanted wanted;
    try {
        wanted = reference_of(drawn);
    } catch (const std::exception& error) {
        return {"reference", std::string("is refused: ") + error.what()};
    }
    for (const Way& way : ways())
        if (const Trouble trouble = trouble_of(drawn, way, wanted); trouble.any()) return trouble;
    return {};
}

void count_kernels(const RandomGraph& drawn, std::map<std::string, size_t>& counts) {
    for (const Choice& choice : Program::compile(drawn.graph, {.mode = own_mode(drawn.graph)})->choices())
        ++counts[choice.kernel == "reference" && choice.op == "Conv" ? "reference Conv" : choice.kernel];
}

}  // namespace quern::random_graphs
