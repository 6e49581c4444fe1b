#include "formats/dry_run.h"

#include <algorithm>
#include <functional>

#include "formats/gguf/file/facts.h"
#include "formats/tflite/form.h"
#include "libcore/base/notice.h"
#include "libcore/blocks/block_format.h"
#include "libcore/graph/summary.h"

namespace quern {
namespace {

uint64_t bytes_of(const Value& constant) {
    uint64_t bytes = constant.data->size();
    if (constant.enc)
        for (const Tensor* part : {&constant.enc->scale, &constant.enc->zero, &constant.enc->min}) bytes += part->data.size();
    return bytes;
}

std::string type_of(const Value& constant) {
    if (constant.enc && constant.enc->format) return ggml_name(*constant.enc->format);
    return std::string(name_of(constant.storage()));
}

uint64_t elements_of(const Dims& dims) { return static_cast<uint64_t>(count_of(dims)); }

}  // namespace

WeightLedger::WeightLedger(const Model& model) {
    const Graph& graph = model.graph;
    if (const auto facts = gguf::facts_of(model.facts)) {
        architecture_ = facts->metadata.text("general.architecture").value_or("");
        for (const gguf::TensorHead& head : facts->tensors) {
            const ValueId id = graph.find(head.name);
            Entry entry{ggml_name(*head.format), elements_of(head.dims), head.bytes()};
            if (id != ValueId::none && graph.value(id).constant()) {
                entry.before = bytes_of(graph.value(id));
                if (graph.value(id).enc) entry.type = type_of(graph.value(id));
            }
            entries_.emplace(head.name, std::move(entry));
        }
        return;
    }
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value(static_cast<ValueId>(i));
        if (value.erased || !value.constant()) continue;
        const auto dims = value.type.shape.concrete();
        entries_.emplace(value.name, Entry{type_of(value), dims ? elements_of(*dims) : 0, bytes_of(value)});
    }
}

// Parts of a weight are called as it is, with _scale and the like behind.
WeightLedger::Entry* WeightLedger::owner(std::string_view constant) {
    while (true) {
        if (const auto found = entries_.find(constant); found != entries_.end()) return &found->second;
        const size_t cut = constant.rfind('_');
        if (cut == constant.npos) return nullptr;
        constant = constant.substr(0, cut);
    }
}

void WeightLedger::count(const Graph& graph, DryRun& to) {
    to.told = true;
    to.operators = summarize(graph).ops;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (size_t i = 0; i < part.value_count(); ++i) {
            const Value& value = part.value(static_cast<ValueId>(i));
            if (value.erased || !value.constant()) continue;
            Entry* entry = owner(value.name);
            (entry ? entry->after : to.beside) += bytes_of(value);
        }
    });
}

DryRun WeightLedger::dry_run(const Model& model, const std::string& path, std::string_view format, WriteOptions options) {
    DryRun out;
    out.architecture = architecture_;
    DryRunOutputs outputs;
    options.outputs = &outputs;
    options.tell = [&](const Graph& graph) { count(graph, out); };
    write_model(model, path, format, options);
    out.files = outputs.outputs();
    for (const auto& [name, entry] : entries_) {
        auto found = std::ranges::find(out.types, entry.type, &DryRun::Type::name);
        if (found == out.types.end()) found = out.types.insert(found, {.name = entry.type});
        ++found->tensors;
        found->elements += entry.elements;
        found->before += entry.before;
        found->after += entry.after;
    }
    std::ranges::stable_sort(out.types, std::greater<>(), &DryRun::Type::before);
    return out;
}

std::optional<uint64_t> written_bytes(const Graph& graph, std::string_view format, WriteOptions options) {
    const NoNotices quiet;
    DryRunOutputs outputs;
    options.outputs = &outputs;
    options.strict = false;
    Model model;
    model.graph = graph;
    try {
        write_model(model, "model", format, options);
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
        return std::nullopt;
    }
    uint64_t bytes = 0;
    for (const DryRunOutputs::Output& output : outputs.outputs()) bytes += output.bytes;
    return bytes;
}

std::function<Graph(const Graph&)> as_read_again(std::string_view format) {
    if (format != "circle") return nullptr;
    return [](const Graph& graph) { return tflite_format::form_of(Model{.graph = graph, .lineage = {}, .facts = {}}, "circle"); };
}

}  // namespace quern
