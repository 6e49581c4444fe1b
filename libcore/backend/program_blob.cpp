#include "libcore/backend/program_blob.h"

#include <map>
#include <set>

#include "formats/context/program_generated.h"
#include "formats/context/sections.h"
#include "formats/native/native.h"
#include "libcore/backend/compile_options.h"
#include "libcore/base/flat_list.h"
#include "libcore/base/text.h"
#include "libcore/exec/open_row.h"
#include "libcore/exec/record.h"
#include "libcore/graph/op.h"
#include "libcore/kernels/context_isa.h"
#include "libcore/kernels/isa.h"
#include "libcore/kernels/table/loader.h"

namespace quern::context_format {
namespace {

std::vector<ValueId> large_constants(const Graph& graph) {
    std::vector<ValueId> out;
    for (size_t i = 0; i < graph.value_count(); ++i)
        if (const auto id = static_cast<ValueId>(i); !graph.value(id).erased && graph.value(id).data)
            if (graph.value(id).data->size() >= large_array) out.push_back(id);
    return out;
}

// The graph without what kernels hold and what is an array by itself: those values are further inputs.
Bytes graph_section(const Graph& graph, const Recorded& recorded, const std::vector<ValueId>& constants) {
    Model model;
    model.graph = graph;
    std::vector<ValueId> elsewhere = recorded.held;
    elsewhere.insert(elsewhere.end(), constants.begin(), constants.end());
    for (const ValueId id : elsewhere) {
        model.graph.value(id).data.reset();
        model.graph.inputs.push_back(id);
    }
    SpoolFile spool;
    native_format::write(model, spool.file());
    return spool.finish();
}

// Arrays one after the other; one that is there already is not repeated.
class Arrays {
   public:
    uint32_t add(const Bytes& bytes) {
        const auto [entry, fresh] = by_memory_.emplace(std::pair(bytes.data(), bytes.size()), static_cast<uint32_t>(rows.size()));
        if (!fresh) return entry->second;
        rows.emplace_back(at_, bytes.size());
        at_ += (bytes.size() + 63) / 64 * 64;
        parts.push_back(bytes);
        return entry->second;
    }
    std::vector<context::Array> rows;
    std::vector<Bytes> parts;

   private:
    uint64_t at_ = 0;
    std::map<std::pair<const std::byte*, size_t>, uint32_t> by_memory_;
};

std::unique_ptr<context::LayoutT> pack(const MemoryLayout& from) {
    auto out = std::make_unique<context::LayoutT>();
    out->bytes = from.bytes;
    for (const Dims& shape : from.shapes) {
        out->shapes.push_back(std::make_unique<context::DimsT>());
        out->shapes.back()->items = shape;
    }
    for (const auto& block : from.blocks) out->blocks.emplace_back(block.size, block.born, block.dies, block.offset, block.leaves ? 1 : 0);
    return out;
}

std::unique_ptr<context::StepT> pack(const Recorded::Step& from, Arrays& arrays) {
    auto out = std::make_unique<context::StepT>();
    out->nodes = from.nodes;
    out->row = from.row;
    for (const Bytes& array : from.state) out->state.push_back(arrays.add(array));
    return out;
}

// Do kernels of the row have the same states on every machine?
bool is_portable(std::string_view row) { return row == "lookup" || row == "codes" || row == "blocks"; }

void leave_open(std::vector<Recorded::Step>& steps) {
    std::vector<Recorded::Step> out;
    for (Recorded::Step& step : steps)
        if (is_portable(step.row))
            out.push_back(std::move(step));
        else
            for (const std::string& node : step.nodes) out.push_back({{node}, std::string(open_row), {}});
    steps = std::move(out);
}

// What another machine can use of a record.
void keep_portable(Recorded& recorded, const CompiledGraph& program) {
    std::set<ValueId> packed, wanted;
    for (const Step& step : program.steps())
        if (step.kernel)
            for (const ValueId id : step.kernel->held()) (is_portable(step.kernel_row) ? packed : wanted).insert(id);
    std::erase_if(recorded.held, [&](ValueId id) { return !packed.contains(id) || wanted.contains(id); });
    recorded.layouts.clear();
    leave_open(recorded.steps);
    for (Recorded::Body& body : recorded.bodies) leave_open(body.steps);
}

Bytes plan_section(const CompiledGraph& program, const Recorded& recorded, std::string_view isa, const std::vector<ValueId>& constants,
                   Arrays& arrays) {
    context::ProgramT out;
    out.isa = isa;
    out.options = compile_options_json(program.options());
    for (const Recorded::Step& step : recorded.steps) out.steps.push_back(pack(step, arrays));
    for (const Recorded::Body& body : recorded.bodies) {
        auto& to = out.bodies.emplace_back(std::make_unique<context::BodyT>());
        to->path = body.path;
        for (const Recorded::Step& step : body.steps) to->steps.push_back(pack(step, arrays));
    }
    for (const ValueId id : constants) {
        out.constants.push_back(program.graph().value(id).name);
        out.constant_data.push_back(arrays.add(*program.graph().value(id).data));
    }
    out.arrays = arrays.rows;
    for (const ValueId id : recorded.held) out.held.push_back(program.graph().value(id).name);
    for (const MemoryLayout& layout : recorded.layouts) out.layouts.push_back(pack(layout));
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(context::Program::Pack(builder, &out));
    return Bytes::copy(builder.GetBufferPointer(), builder.GetSize());
}

// Reads a plan. What is met many times counts each time: a small file cannot stand for a large plan.
class Plan {
   public:
    Plan(const Bytes& bytes, Bytes arrays) : budget_(bytes.size()), section_(std::move(arrays)) {
        const auto* start = reinterpret_cast<const uint8_t*>(bytes.data());
        flatbuffers::Verifier verifier(start, bytes.size(), 64, static_cast<flatbuffers::uoffset_t>(bytes.size() / 8 + 16));
        if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE || !verifier.VerifyBuffer<context::Program>(nullptr))
            throw bad_input("the plan is not a valid FlatBuffer");
        plan_ = flatbuffers::GetRoot<context::Program>(start);
    }
    std::string options() { return text(plan_->options()); }
    std::string isa() { return text(plan_->isa()); }
    std::set<std::string> kernels() {
        std::set<std::string> rows;
        each(plan_->steps(), [&](const context::Step* step) { rows.insert(text(step->row())); });
        return rows;
    }
    // Gives constants their data back.
    void restore_constants(Graph& graph);
    Recorded recorded(const Graph& graph);

   private:
    void spend(uint64_t bytes) {
        if (bytes > budget_) throw bad_input("the plan uses the same lists many times");
        budget_ -= bytes;
    }
    std::string text(const flatbuffers::String* from) {
        if (from) spend(from->size());
        return from ? from->str() : std::string();
    }
    // fn(item) for each item of a list.
    template <class V, class Fn>
    void each(const V* list, const Fn& fn) {
        if (!list) return;
        need_aligned(*list);
        spend(uint64_t{list->size()} * sizeof(typename V::value_type));
        for (uint32_t i = 0; i < list->size(); ++i) fn(list->Get(i));
    }
    MemoryLayout layout(const context::Layout& from);
    Recorded::Step step(const context::Step& from);
    void add_array(const context::Array& row);

    uint64_t budget_;
    Bytes section_;
    const context::Program* plan_;
    std::vector<Bytes> arrays_;
};

MemoryLayout Plan::layout(const context::Layout& from) {
    MemoryLayout out;
    out.bytes = from.bytes();
    each(from.shapes(), [&](const context::Dims* dims) {
        Dims& shape = out.shapes.emplace_back();
        each(dims->items(), [&](int64_t dim) { shape.push_back(dim); });
    });
    each(from.blocks(), [&](const context::Block* block) {
        out.blocks.push_back({{block->size(), block->born(), block->dies()}, block->offset(), block->leaves() != 0});
    });
    return out;
}

void Plan::add_array(const context::Array& row) {
    if (row.offset() % 64 != 0 || row.offset() > section_.size() || row.size() > section_.size() - row.offset())
        throw bad_input("array {} at byte {} with {} bytes is not inside its section", arrays_.size(), row.offset(), row.size());
    arrays_.push_back(section_.slice(row.offset(), row.size()));
}

Recorded::Step Plan::step(const context::Step& from) {
    Recorded::Step step;
    step.row = text(from.row());
    each(from.nodes(), [&](const flatbuffers::String* name) { step.nodes.push_back(text(name)); });
    each(from.state(), [&](uint32_t index) {
        if (index >= arrays_.size()) throw bad_input("array {} does not exist", index);
        step.state.push_back(arrays_[index]);
    });
    return step;
}

void Plan::restore_constants(Graph& graph) {
    each(plan_->arrays(), [&](const context::Array* row) { add_array(*row); });
    std::vector<std::string> names;
    each(plan_->constants(), [&](const flatbuffers::String* name) { names.push_back(text(name)); });
    std::vector<uint32_t> data;
    each(plan_->constant_data(), [&](uint32_t index) { data.push_back(index); });
    if (data.size() != names.size() || names.size() > graph.inputs.size())
        throw bad_input("{} constants have {} arrays, and the graph {} inputs", names.size(), data.size(), graph.inputs.size());
    for (size_t i = names.size(); i-- > 0;) {
        Value& value = graph.value(graph.inputs.back());
        if (value.name != names[i] || data[i] >= arrays_.size())
            throw bad_input("constant \"{}\" of array {} does not exist", escape(names[i]), data[i]);
        value.data = arrays_[data[i]];
        graph.inputs.pop_back();
    }
}

Recorded Plan::recorded(const Graph& graph) {
    Recorded out;
    each(plan_->steps(), [&](const context::Step* from) { out.steps.push_back(step(*from)); });
    each(plan_->bodies(), [&](const context::Body* from) {
        Recorded::Body& body = out.bodies.emplace_back();
        body.path = text(from->path());
        each(from->steps(), [&](const context::Step* inner) { body.steps.push_back(step(*inner)); });
    });
    std::vector<std::string> held;
    each(plan_->held(), [&](const flatbuffers::String* name) { held.push_back(text(name)); });
    if (held.size() > graph.inputs.size())
        throw bad_input("{} values are held, but the graph has {} inputs", held.size(), graph.inputs.size());
    out.held.assign(graph.inputs.end() - std::ssize(held), graph.inputs.end());
    for (size_t i = 0; i < held.size(); ++i)
        if (graph.value(out.held[i]).name != held[i]) throw bad_input("\"{}\" is not among the last inputs", escape(held[i]));
    each(plan_->layouts(), [&](const context::Layout* from) { out.layouts.push_back(layout(*from)); });
    return out;
}

}  // namespace

bool is_program(const Bytes& bytes) { return has_magic(bytes, program_magic); }

void write_program(const Graph& graph, const BlobOptions& options, OutputFile& file) {
    const auto program = std::static_pointer_cast<const CompiledGraph>(Program::compile(graph, options));
    Recorded recorded = record(program);
    if (!options.isa.empty()) keep_portable(recorded, *program);
    std::vector<ValueId> constants = large_constants(program->graph());
    std::erase_if(constants, [&](ValueId id) { return std::ranges::find(recorded.held, id) != recorded.held.end(); });
    Arrays arrays;
    const std::string_view isa = options.isa.empty() ? context_isa() : options.isa;
    Section plan{"plan", 0, {plan_section(*program, recorded, isa, constants, arrays)}};
    Section model{"graph", 0, {graph_section(program->graph(), recorded, constants)}, true};  // has digests of its own
    Section weights{"arrays", 0, std::move(arrays.parts), true};
    write_sections(program_magic, {std::move(plan), std::move(model), std::move(weights)}, file);
}

ProgramFile read_program(const Bytes& bytes) {
    const Sections sections(program_magic, bytes);
    Plan plan(sections.need("plan"), sections.need("arrays"));
    ProgramFile out;
    out.graph = native_format::read(sections.need("graph"), "").graph;
    plan.restore_constants(out.graph);
    verify(out.graph);
    out.options = parse_compile_options(plan.options());
    out.isa = plan.isa();
    out.recorded = plan.recorded(out.graph);
    return out;
}

void load_kernels(const Bytes& bytes) try {
    const Sections sections(program_magic, bytes);
    for (const std::string& family : Plan(sections.need("plan"), {}).kernels()) kernel_library(family);
} catch (const Error&) {
}

std::shared_ptr<const CompiledGraph> load_program(const Bytes& bytes) {
    ProgramFile file = read_program(bytes);
    need_isa(file.isa);
    return CompiledGraph::restore(std::move(file.graph), file.options, file.recorded);
}

void check_weights(const Bytes& bytes, std::set<std::pair<const std::byte*, size_t>>& checked) {
    Sections(program_magic, bytes).check_on_demand(checked);
}

void check_program(const Bytes& bytes) {
    const Sections sections(program_magic, bytes);
    sections.check_digests();
    native_format::check_digests(sections.need("graph"));
}

}  // namespace quern::context_format
