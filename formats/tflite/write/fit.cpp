#include "formats/tflite/write/fit.h"

#include "formats/tflite/file/tensors.h"
#include "formats/tflite/lower/lower.h"
#include "libcore/base/notice.h"
#include "libcore/support/runtime.h"

namespace quern::tflite_format {

bool same_grid(const Quantization& a, const Quantization& b) {
    const auto zeros = [](const Quantization& q) { return q.zero.empty() ? Ints(q.scale.size(), 0) : q.zero; };
    return a.scale == b.scale && zeros(a) == zeros(b);
}

bool Fitter::on_codes(int64_t index) const {
    if (index < 0) return false;
    const FileTensor& of = graph_.tensors[static_cast<size_t>(index)];
    return !of.quantization.scale.empty() && (of.type == Element::INT8 || of.type == Element::UINT8 || of.type == Element::INT16);
}

// A name that another tensor has gets a number, as reading would give it.
int64_t Fitter::add(FileTensor tensor) {
    if (names_.empty())
        for (const FileTensor& other : graph_.tensors) names_.insert(other.name);
    const std::string wish = tensor.name;
    for (int number = 1; !names_.insert(tensor.name).second; ++number) tensor.name = fmt::format("{}_{}", wish, number);
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<int64_t>(graph_.tensors.size()) - 1;
}

int64_t Fitter::add_constant(const FileTensor& like, const Tensor& contents, const std::optional<Encoding>& encoding) {
    const std::string name = like.name;
    return add(tensor_of(name, contents, encoding));
}

int64_t Fitter::temp(int64_t like, std::string_view what) {
    FileTensor made = tensor(like);
    made.name = fmt::format("{}/{}", made.name, what);
    made.data = {};
    made.variable = false;
    made.sparsity.reset();
    return add(std::move(made));
}

void Fitter::put(FileOperator op) { made_.push_back(std::move(op)); }

void Fitter::put(Code code, int64_t from, int64_t to) { put(code, Ints{from}, to, {}); }

void Fitter::put(Code code, Ints in, int64_t out, Attrs options) {
    FileOperator op;
    op.code = code;
    op.name = tflite::EnumNameBuiltinOperator(code);
    op.in = std::move(in);
    op.out = {out};
    op.options = std::move(options);
    op.version = version_of(op, graph_);
    if (!options_.others || !put_by_uint8(op)) put(std::move(op));
}

void Fitter::fit(FileOperator op) {
    fit_bias(op);
    fit_powers(op);
    if (options_.others) return fit_for_others(std::move(op));
    fit_slopes(op);
    fit_zeros(op);
    if (const std::string why = missing_kernel(op); !why.empty()) return on_real_numbers(std::move(op), why);
    if (fit_scales(op)) put(std::move(op));
}

void Fitter::run() {
    std::vector<FileOperator> given;
    std::swap(given, graph_.operators);
    made_.reserve(given.size());
    for (FileOperator& op : given) {
        const std::string place = place_of(op, graph_);
        at_place(place, [&] { fit(std::move(op)); });
    }
    graph_.operators = std::move(made_);
}

namespace {

// What the operators are is an error where all are to run as asked.
void say(const FitOptions& options, const std::vector<std::string>& places, const std::string& what, bool refused) {
    if (places.empty() || options.silent) return;
    if (options.strict && refused) throw unsupported("{} has no kernel for what is asked of {}", options.called, support::some_of(places));
    say_notice(fmt::format("{} {}: {}", places.size() > 1 ? fmt::format("{} operators are", places.size()) : "1 operator is", what,
                           support::some_of(places)));
}

}  // namespace

void fit(File& file, const FitOptions& options) {
    Fitted said;
    for (Subgraph& graph : file.subgraphs) {
        Fitter fitter(graph, options, said);
        fitter.run();
        if (options.others && &graph == &file.subgraphs.front()) fitter.copy_outputs();  // bodies hand theirs on
    }
    say(options, said.on_reals, "written between DEQUANTIZE and QUANTIZE, as there is no kernel for the codes", true);
    say(options, said.missing, fmt::format("written as asked, which {} has no kernel for", options.called), true);
    say(options, said.without_zero,
        fmt::format("computed by {} from symmetric codes of their data, whatever the file asks for", options.called), false);
    say(options, said.of_blocks,
        fmt::format("computed by {} from data that it rounds to codes of 8 bits, as their weights are in blocks", options.called), false);
    say(options, said.elsewhere, fmt::format("written as codes, for which another runtime has a kernel and {} has none", options.called),
        false);
}

}  // namespace quern::tflite_format
