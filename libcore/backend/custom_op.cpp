#include "libcore/backend/custom_op.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <set>

#include "formats/foreign/child.h"
#include "libcore/backend/guard.h"
#include "libcore/backend/library.h"
#include "libcore/backend/remote_ops.h"
#include "libcore/backend/view.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"

namespace quern {
namespace {

// A row, and what it borrows its texts from.
struct CustomOp : Op {
    OpFacts facts;
    std::vector<AttrDef> defs;
    // One of them computes it: functions of a library in this process, or the library's own process.
    const quern_custom_op* functions = nullptr;
    std::shared_ptr<const RemoteOps> remote;
};

const CustomOp& row_of(const Node& node) { return *static_cast<const CustomOp*>(node.op); }
const quern_custom_op& functions_of(const Node& node) { return *row_of(node).functions; }

// What went wrong on our side of a callback waits here until the library's function has returned.
struct Call {
    std::exception_ptr exception;
    std::string complaint;

    template <class Body>
    quern_status guarded(const Body& body) noexcept {
        try {
            body();
            return QUERN_OK;
        } catch (...) {
            if (!exception) exception = std::current_exception();
            return QUERN_INTERNAL;
        }
    }
    void finish(quern_status status) const {
        if (exception) std::rethrow_exception(exception);
        if (status == QUERN_OK) return;
        const std::string text = complaint.empty() ? fmt::format("failed with status {}", status) : complaint;
        throw Error(status == QUERN_UNSUPPORTED ? Exit::unsupported : status == QUERN_IO ? Exit::io : Exit::bad_input, text);
    }
};

constexpr Giver library{Exit::unsupported, "the operator's library gives"};

// ---- inference ----

struct InferCall : Call {
    InferCtx& ctx;
};

quern_status infer_output(const quern_infer* infer, size_t index, quern_dtype dtype, int32_t rank, const int64_t* dims) {
    auto& call = *static_cast<InferCall*>(infer->self);
    return call.guarded([&] {
        if (index >= call.ctx.out_count()) throw unsupported("the operator's library gives output {} of {}", index, call.ctx.out_count());
        call.ctx.set(index, type_from_c(dtype, rank, dims, library));
    });
}

void infer_custom(InferCtx& ctx) {
    if (const auto& remote = row_of(ctx.node()).remote) return remote->infer(ctx);
    Views views;
    quern_node* node = views.node(ctx.node());
    std::vector<const quern_value*> inputs, outputs;
    for (size_t i = 0; i < ctx.in_count(); ++i)
        inputs.push_back(ctx.has_in(i) ? views.value("", ctx.in(i), nullptr, ctx.constant(i)) : nullptr);
    for (size_t i = 0; i < ctx.out_count(); ++i) outputs.push_back(views.value("", Type{}, nullptr, nullptr));
    node->input_count = inputs.size();
    node->inputs = views.list(std::move(inputs));
    node->output_count = outputs.size();
    node->outputs = views.list(std::move(outputs));
    InferCall call{{}, ctx};
    const quern_infer infer{sizeof(quern_infer), &call, node, infer_output,
                            [](const quern_infer* i, const char* text) { static_cast<InferCall*>(i->self)->complaint = text ? text : ""; }};
    call.finish(foreign("infer", [&] { return functions_of(ctx.node()).infer(&infer); }));
}

// ---- evaluation ----

struct EvalCall : Call {
    EvalCtx& ctx;
    std::vector<Type> given;
};

// What the operator's own inference says of these inputs; where it does not say anything, nothing can be held against an output.
std::vector<Type> promised(const Node& node, const quern_node& view) {
    struct Promise : Call {
        std::vector<Type> types;
    } promise;
    promise.types.resize(view.output_count);
    const auto set = [](const quern_infer* infer, size_t index, quern_dtype dtype, int32_t rank, const int64_t* dims) {
        auto& own = *static_cast<Promise*>(infer->self);
        return own.guarded([&] { own.types.at(index) = type_from_c(dtype, rank, dims, library); });
    };
    const quern_infer infer{sizeof(quern_infer), &promise, &view, set, [](const quern_infer*, const char*) {}};
    const quern_status status = foreign("infer", [&] { return functions_of(node).infer(&infer); });
    return status == QUERN_OK && !promise.exception ? promise.types : std::vector<Type>(view.output_count);
}

bool fits(const Type& got, const Type& want) {
    if (want.dtype != DType::none && got.dtype != want.dtype) return false;
    if (!want.shape.ranked) return true;
    if (got.shape.rank() != want.shape.rank()) return false;
    for (size_t d = 0; d < want.shape.rank(); ++d)
        if (want.shape.dims[d].known() && want.shape.dims[d].value != got.shape.dims[d].value) return false;
    return true;
}

// Every output that is used was given, in the type that inference or, of codes, its encoding says.
void check_outputs(const EvalCall& call, const quern_eval& eval, bool codes) {
    const std::vector<Type> wanted = codes ? std::vector<Type>(eval.output_count) : promised(call.ctx.node(), *eval.node);
    for (size_t i = 0; i < eval.output_count; ++i) {
        if (!call.ctx.wants(i)) continue;
        if (call.given[i].dtype == DType::none) throw unsupported("the operator's library gives no output {}", i);
        Type want = wanted[i];
        if (codes && eval.output_encodings[i]) want = Type::tensor(dtype_from_c(eval.output_encodings[i]->storage));
        if (!fits(call.given[i], want))
            throw unsupported("the operator's library gives output {} as {}, need {}", i, to_string(call.given[i]), to_string(want));
    }
}

void* eval_output(const quern_eval* eval, size_t index, quern_dtype dtype, int32_t rank, const int64_t* dims) {
    auto& call = *static_cast<EvalCall*>(eval->self);
    void* memory = nullptr;
    call.guarded([&] {
        if (index >= call.ctx.out_count()) throw unsupported("the operator's library gives output {} of {}", index, call.ctx.out_count());
        const DType type = dtype_from_c(dtype);
        if (type == DType::string) throw unsupported("the operator's library gives strings");
        Dims shape = dims_from_c(rank, dims, 0, library);
        call.given[index] = Type::tensor(type, Shape::of(shape));
        memory = call.ctx.out(index, type, std::move(shape));
    });
    return memory;
}

void evaluate(EvalCtx& ctx, bool codes) {
    Views views;
    quern_node* node = views.node(ctx.node());
    std::vector<const quern_value*> in_values, out_values;
    std::vector<const quern_buffer*> inputs;
    std::vector<const quern_encoding*> in_encodings, out_encodings;
    for (size_t i = 0; i < ctx.in_count(); ++i) {
        const Tensor* tensor = ctx.in(i);
        const Encoding* encoding = codes ? ctx.in_encoding(i) : nullptr;
        inputs.push_back(tensor ? views.make(buffer_of(*tensor)) : nullptr);
        in_encodings.push_back(encoding ? views.encoding(*encoding) : nullptr);
        in_values.push_back(tensor ? views.value("", Type::tensor(tensor->dtype, Shape::of(tensor->dims)), encoding, nullptr) : nullptr);
    }
    for (size_t i = 0; i < ctx.out_count(); ++i) {
        const Encoding* encoding = codes ? ctx.out_encoding(i) : nullptr;
        out_encodings.push_back(encoding ? views.encoding(*encoding) : nullptr);
        out_values.push_back(views.value("", Type{}, encoding, nullptr));
    }
    node->input_count = in_values.size();
    node->inputs = in_values.data();
    node->output_count = out_values.size();
    node->outputs = out_values.data();
    EvalCall call{{}, ctx, std::vector<Type>(ctx.out_count())};
    quern_eval eval{};
    eval.struct_size = sizeof eval;
    eval.self = &call;
    eval.node = node;
    eval.input_count = inputs.size();
    eval.inputs = inputs.data();
    eval.output_count = ctx.out_count();
    eval.input_encodings = in_encodings.data();
    eval.output_encodings = out_encodings.data();
    eval.output = eval_output;
    eval.fail = [](const quern_eval* e, const char* text) { static_cast<EvalCall*>(e->self)->complaint = text ? text : ""; };
    const quern_custom_op& functions = functions_of(ctx.node());
    call.finish(foreign("eval", [&] { return (codes ? functions.eval_codes : functions.eval)(&eval); }));
    check_outputs(call, eval, codes);
}

void eval_custom(EvalCtx& ctx) { eval_custom_op(ctx, false); }

void eval_custom_codes(EvalCtx& ctx) {
    bool encoded = false;
    for (size_t i = 0; i < ctx.in_count(); ++i) encoded = encoded || ctx.in_encoding(i);
    for (size_t i = 0; i < ctx.out_count(); ++i) encoded = encoded || ctx.out_encoding(i);
    eval_custom_op(ctx, encoded);
}

// ---- rows ----

std::unique_ptr<CustomOp> row_from(OpFacts facts) {
    auto row = std::make_unique<CustomOp>();
    row->facts = std::move(facts);
    const OpFacts& own = row->facts;
    for (const OpFacts::Attribute& a : own.attributes) row->defs.push_back({a.name, kind_of(a), a.fallback, a.required});
    row->name = own.name;
    row->domain = own.domain;
    row->doc = own.doc;
    row->in = {static_cast<uint8_t>(own.in_min), static_cast<uint8_t>(own.in_max)};
    row->out = {static_cast<uint8_t>(own.out_min), static_cast<uint8_t>(own.out_max)};
    row->attrs = row->defs;
    row->infer = infer_custom;
    row->eval = eval_custom;
    row->quant = own.quant;
    return row;
}

std::span<const quern_custom_op* const> ops_of(const quern_backend_api& table) {
    if (!QUERN_HAS(&table, ops) || !table.ops) return {};
    return {table.ops, table.op_count};
}

struct CustomOps {
    std::mutex mutex;
    std::deque<std::unique_ptr<CustomOp>> rows;
    std::set<const quern_custom_op*> known;
    std::vector<std::string> paths;  // of libraries in processes of their own
};
// It stays as long as this process: the processes end when it does.
CustomOps& all_custom_ops() {
    static auto* const all = new CustomOps;
    return *all;
}

void add_row(CustomOps& own, std::unique_ptr<CustomOp> row) {
    const CustomOp& added = *own.rows.emplace_back(std::move(row));
    register_op(&added, added.facts.on_codes ? eval_custom_codes : nullptr);
}

}  // namespace

void eval_custom_op(EvalCtx& ctx, bool codes) {
    if (const auto& remote = row_of(ctx.node()).remote) return remote->eval(ctx, codes);
    evaluate(ctx, codes);
}

std::vector<OpFacts> facts_of(std::span<const quern_custom_op* const> ops) {
    std::vector<OpFacts> all;
    for (size_t i = 0; i < ops.size(); ++i)
        at_place(fmt::format("operator \"{}\"", ops[i] && ops[i]->name ? escape(ops[i]->name) : std::to_string(i)), [&] {
            if (!ops[i]) throw unsupported("is not there");
            all.push_back(facts_of(*ops[i]));
        });
    return all;
}

void register_custom_ops(std::span<const quern_custom_op* const> ops) {
    CustomOps& own = all_custom_ops();
    const std::scoped_lock lock(own.mutex);
    std::vector<OpFacts> facts = facts_of(ops);
    for (size_t i = 0; i < ops.size(); ++i) {
        if (!own.known.insert(ops[i]).second) continue;
        auto row = row_from(std::move(facts[i]));
        row->functions = ops[i];
        add_row(own, std::move(row));
    }
}

std::vector<const Op*> custom_ops() {
    CustomOps& own = all_custom_ops();
    const std::scoped_lock lock(own.mutex);
    std::vector<const Op*> ops;
    for (const auto& row : own.rows) ops.push_back(row.get());
    return ops;
}

std::span<const quern_custom_op* const> open_ops(const std::string& path) {
    if (!has_symbol(path, QUERN_OP_PACKAGE_ENTRY) && has_symbol(path, QUERN_BACKEND_ENTRY)) return ops_of(open_backend(path));
    const quern_op_package& package = open_op_package(path);
    return {package.ops, package.op_count};
}

void load_op_package(const std::string& name, std::string_view what) {
    at_place(fmt::format("{} \"{}\"", what, escape(name)), [&] {
        const std::string found = backend_path(name);
        if (found.empty()) throw unsupported("there is no such library").with_hint("a path has a \"/\": ./libmyops.so");
        const std::string path = std::filesystem::canonical(found).string();
        CustomOps& own = all_custom_ops();
        const std::scoped_lock lock(own.mutex);
        if (std::ranges::find(own.paths, path) != own.paths.end()) return;
        const auto remote = std::make_shared<const RemoteOps>(path, child_seconds("QUERN_BACKEND_TIMEOUT"), what != op_package);
        for (const OpFacts& facts : remote->facts()) {
            auto row = row_from(facts);
            row->remote = remote;
            add_row(own, std::move(row));
        }
        own.paths.push_back(path);
    });
}

std::vector<std::string> loaded_op_packages() { return all_custom_ops().paths; }

void load_op_packages_of_environment() {
    if (const char* list = std::getenv("QUERN_OP_PACKAGES"))
        for (const std::string& name : split(list, ';'))
            if (!name.empty()) load_op_package(name);
}

}  // namespace quern
