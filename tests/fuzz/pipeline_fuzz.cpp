// A net of any bytes through the whole house: read in whatever format it is, or drawn; run by the reference; through the passes; into every
// file that can be written, and read again. What is refused is refused in one line. What is read back has the outputs that went in, of the
// same types and shapes; of drawn nets, whose numbers are well behaved, the same numbers, too.
#include "libcore/passes/pass.h"
#include "tests/fuzz/nets.h"
#include "tests/random/ways.h"

namespace {

using namespace quern;

// Far above what spelling an operator in other words does to numbers, far below what a wrong one does.
double gross(DType dtype) { return 1000 * random_graphs::tolerance_of(dtype); }

std::string difference(const Tensor& wanted, const Tensor& got, bool numbers) {
    if (wanted.dtype != got.dtype || wanted.dims != got.dims)
        return fmt::format("is {}{}, not {}{}", name_of(got.dtype), to_string(got.dims), name_of(wanted.dtype), to_string(wanted.dims));
    if (!numbers || !is_float(wanted.dtype)) return {};
    const auto a = to_doubles(wanted), b = to_doubles(got);
    double most = 0, apart = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(a[i]));
        apart = std::max(apart, std::abs(a[i] - b[i]));
    }
    return apart <= most * gross(wanted.dtype) ? "" : fmt::format("differs by {:.3g} of {:.3g}", apart, most);
}

// `numbers`: those of outputs that are not codes have to be equal.
void compare(const Net& net, const std::vector<Stored>& wanted, const Graph& other, const std::string& way, bool numbers) {
    const auto got = unless_refused([&] { return run_reference(other, net.sample); });
    if (!got) {
        if (net.drawn) found(net.model, way + ": what the reference runs is refused");
        return;
    }
    if (got->size() != wanted.size()) found(net.model, fmt::format("{}: {} outputs, were {}", way, got->size(), wanted.size()));
    for (size_t i = 0; i < wanted.size(); ++i) {
        const bool codes = wanted[i].encoding || (*got)[i].encoding;
        if (codes && wanted[i].encoding.has_value() != (*got)[i].encoding.has_value()) continue;  // stored in another form
        const std::string what = difference(wanted[i].tensor, (*got)[i].tensor, numbers && !codes);
        if (!what.empty()) found(net.model, fmt::format("{}: output {} {}", way, i, what));
    }
}

void through_passes(const Net& net, const std::vector<Stored>& wanted) {
    expect_only_refusals([&] {
        Graph graph = as_encoded(net.model.graph);
        if (run_passes(graph, default_passes()) == 0) return;
        verify(graph);
        compare(net, wanted, graph, "after the passes", false);  // their numbers are held by `ways`, pass by pass
    });
}

// TFLite and Circle have encodings of real numbers for codes on the interface: other samples.
bool takes_the_same(const Graph& a, const Graph& b) {
    return std::ranges::equal(a.inputs, b.inputs, [&](ValueId x, ValueId y) { return a.value(x).type.dtype == b.value(y).type.dtype; });
}

// Which of the promises holds for which writer: float nets keep their numbers everywhere.
void through_file(const Net& net, const std::vector<Stored>* wanted, std::string_view format, const WriteOptions& options) {
    const auto file = unless_refused([&] { return written(net.model, format, options); });
    if (!file) return;
    Model back;
    try {
        back = read_model(*file, "");
    } catch (const Error& error) {
        found(net.model, fmt::format("what was written as {} is refused: {}", format, error.message()));
    }
    if (back.graph.outputs.size() != net.model.graph.outputs.size() || back.graph.inputs.size() != net.model.graph.inputs.size())
        found(net.model, fmt::format("as {} it has other inputs or outputs", format));
    if (net.model.lineage.empty()) back.lineage = {};  // which reading gave it
    if (format == "native" && text_of(back) != text_of(net.model)) found(net.model, "another model is read back from its native file");
    if (wanted && net.drawn && takes_the_same(net.model.graph, back.graph))
        compare(net, *wanted, back.graph, fmt::format("by {}", format), !has_encodings(net.model.graph));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    expect_only_refusals([&] {
        const auto net = net_of(data, size);
        if (!net) return;
        const auto wanted = net->runs ? unless_refused([&] { return run_reference(net->model.graph, net->sample); }) : std::nullopt;
        if (net->drawn && !wanted) found(net->model, "the reference refuses what was drawn");
        if (wanted) through_passes(*net, *wanted);
        if (net->drawn) {
            const random_graphs::RandomGraph drawn{net->model.graph, net->sample};
            const random_graphs::Wanted reference = random_graphs::reference_of(drawn);
            for (const random_graphs::Way& way : random_graphs::ways()) {
                if (way.name != "native" && way.name != "text" && way.name != "passes") continue;
                const random_graphs::Trouble trouble = random_graphs::trouble_of(drawn, way, reference);
                if (trouble.any()) found(net->model, fmt::format("by {}: {}", trouble.way, trouble.what));
            }
        }
        for (const Format& format : all_formats())
            if (format.write) through_file(*net, wanted ? &*wanted : nullptr, format.name, {});
        through_file(*net, wanted ? &*wanted : nullptr, "onnx", {.opset = 21, .quant_form = "qoperator"});
    });
    return 0;
}
