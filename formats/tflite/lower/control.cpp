// Control flow: bodies become subgraphs, which get everything that they see from outside as operands.
#include <algorithm>

#include "formats/tflite/lower/lower.h"
#include "libcore/graph/op_ids.h"

namespace quern::tflite_format {
namespace {

// The values of the graph around that bodies see, each once.
std::vector<ValueId> seen_by(const Bodies& bodies) {
    std::vector<ValueId> seen;
    for (const Graph& body : bodies)
        for (const Graph::Capture& capture : body.captures)
            if (std::find(seen.begin(), seen.end(), capture.outer) == seen.end()) seen.push_back(capture.outer);
    return seen;
}

// Both branches take every value that one of them sees.
void if_else(Lowering& at) {
    Exporter& exporter = at.exporter();
    const auto seen = seen_by(at.node().bodies);
    Ints in{at.in(0)}, out;
    for (const ValueId id : seen) in.push_back(exporter.tensor(at.scope(), id));
    for (const ValueId id : at.node().out) out.push_back(exporter.tensor(at.scope(), id));
    Attrs options;
    for (size_t b = 0; b < at.node().bodies.size(); ++b) {
        const Graph& body = at.node().bodies[b];
        ExportScope scope = exporter.open_body(body.name, body);
        for (const ValueId id : seen) exporter.add_input(scope, exporter.seen(scope, id, at.graph()));
        lower_all(exporter, scope);
        for (size_t k = 0; k < body.outputs.size(); ++k)
            exporter.add_output(scope, exporter.given(scope, body.outputs[k], at.graph().value(at.node().out[k]).enc));
        const bool then = at.node().body_names[b] == "then_branch";
        options[then ? "then_subgraph_index" : "else_subgraph_index"] = static_cast<int64_t>(scope.subgraph);
    }
    at.op(Code::IF, in, out, options);
}

// A Loop as WHILE. What its rounds pass on is its state: whether it goes on, the number of the round, the number of rounds, the carried
// values, the results of each round one behind the other as far as they are known, and what the body sees from outside, which stays as
// it is.
class While {
   public:
    explicit While(Lowering& at)
        : at_(at),
          exporter_(at.exporter()),
          body_(at.node().bodies.at(0)),
          carried_(at.in_count() - 2),
          scope_(exporter_.open_body(body_.name, body_)) {
        each_ = body_.outputs.size() - 1 - carried_;
        limited_ = at.has(0) && !(at.ints(0) && (*at.ints(0))[0] == INT64_MAX);
        counts_ = limited_ || !scope_.uses[index_of(body_.inputs[0])].empty();
        for (size_t k = 0; k < carried_ && !limited_; ++k)
            if (at.has(1) && at.id(1) == at.id(2 + k) && body_.outputs[0] == body_.outputs[1 + k]) condition_ = k;
    }

    void run() {
        before();
        body();
        const int64_t decides = condition();
        at_.op(Code::WHILE, in_, out_, {{"cond_subgraph_index", decides}, {"body_subgraph_index", static_cast<int64_t>(scope_.subgraph)}});
        for (size_t k = 0; k < each_; ++k) cut_rows(k);
    }

   private:
    ValueId result(size_t k) const { return k < at_.node().out.size() ? at_.node().out[k] : ValueId::none; }

    // One more value of the state: its first value, its result, and the tensor that a round has of it.
    void pass(int64_t first, int64_t result, int64_t inside) {
        in_.push_back(first);
        out_.push_back(result);
        exporter_.add_input(scope_, inside);
    }

    FileTensor scalar(std::string_view what, DType dtype) const {
        return tensor_of(fmt::format("{}/{}", at_.node().name, what), Type::tensor(dtype, Shape::of_dims({})), {});
    }
    int64_t outside(std::string_view what, DType dtype) { return exporter_.add_tensor(at_.scope(), scalar(what, dtype)); }
    int64_t inside(std::string_view what, DType dtype) { return exporter_.add_tensor(scope_, scalar(what, dtype)); }
    int64_t number(ExportScope& scope, std::string_view what, int64_t item) {
        return exporter_.add_tensor(scope, tensor_of(fmt::format("{}/{}", at_.node().name, what), Tensor::scalar(item), {}));
    }

    int64_t first_condition() {
        const int64_t given =
            at_.has(1) ? at_.in(1) : exporter_.add_tensor(at_.scope(), tensor_of(at_.node().name + "/yes", Tensor::scalar(true), {}));
        if (!limited_) return given;
        const int64_t any = outside("any", DType::boolean), both = outside("begins", DType::boolean);
        at_.op(Code::LESS, {number(at_.scope(), "zero", 0), at_.in(0)}, {any});
        at_.op(Code::LOGICAL_AND, {any, given}, {both});
        return both;
    }

    // The state, and the tensors that a round begins with.
    void before() {
        if (!condition_) {
            goes_on_ = inside("goes_on", DType::boolean);
            pass(first_condition(), outside("goes_on", DType::boolean), goes_on_);
        }
        if (counts_) {
            round_ = inside("round", DType::i64);
            scope_.tensors[body_.inputs[0]] = round_;
            pass(number(at_.scope(), "zero", 0), outside("rounds", DType::i64), round_);
        }
        if (limited_) {
            limit_ = inside("limit", DType::i64);
            pass(at_.in(0), outside("limit", DType::i64), limit_);
        }
        for (size_t k = 0; k < carried_; ++k) {
            const ValueId id = body_.inputs[2 + k], out = result(k);
            const Value &from = at_.value(2 + k), &next = body_.value(body_.outputs[1 + k]);
            if (from.enc != body_.value(id).enc || next.enc != from.enc) throw unsupported("carried values that change their encoding");
            const int64_t result = out == ValueId::none
                                       ? exporter_.add_tensor(at_.scope(), tensor_of(from.name + "/last", from.type, from.enc))
                                       : exporter_.tensor(at_.scope(), out);
            pass(exporter_.tensor(at_.scope(), at_.id(2 + k)), result, exporter_.tensor(scope_, id));
        }
        for (size_t k = 0; k < each_; ++k) begin_rows(k);
        scope_.tensors[body_.inputs[1]] = condition_ ? exporter_.tensor(scope_, body_.inputs[2 + *condition_]) : goes_on_;
        for (const ValueId id : seen_by(at_.node().bodies)) {
            const Value& value = at_.graph().value(id);
            const int64_t made = exporter_.add_tensor(at_.scope(), tensor_of(value.name + "/same", value.type, value.enc));
            pass(exporter_.tensor(at_.scope(), id), made, exporter_.seen(scope_, id, at_.graph()));
        }
    }

    // A tensor that grows by a round each time. LiteRT does not take one without elements: a row of zeros stands before the rounds, which
    // is cut off behind the loop.
    void begin_rows(size_t k) {
        const Value& each = body_.value(body_.outputs[1 + carried_ + k]);
        const ValueId out = result(carried_ + k);
        const auto dims = each.type.shape.concrete();
        if (!dims) throw unsupported("results of each round whose shape is not fixed");
        if (out != ValueId::none && at_.graph().value(out).enc != each.enc)
            throw unsupported("results of each round that change their encoding");
        Dims row = *dims;
        row.insert(row.begin(), 1);
        const DType storage = each.enc ? each.enc->storage : each.type.dtype;
        const uint64_t bytes = storage_size(storage, static_cast<uint64_t>(count_of(row)));
        const Tensor zeros{storage, row, Bytes::own(std::vector<std::byte>(bytes))};
        Shape some = Shape::of(row);
        some.dims[0] = Dim::unknown();
        const Type grown = Type::tensor(each.type.dtype, some);
        const auto tensor = [&](std::string_view what, const Type& type) {
            return tensor_of(fmt::format("{}/{}{}", at_.node().name, what, k), type, each.enc);
        };
        const int64_t first = exporter_.add_constant(at_.scope(), fmt::format("{}/before{}", at_.node().name, k), zeros, each.enc);
        rows_.push_back(exporter_.add_tensor(at_.scope(), tensor("all", grown)));
        pass(first, rows_.back(), exporter_.add_tensor(scope_, tensor("rounds", grown)));
    }

    // The rounds alone.
    void cut_rows(size_t k) {
        if (result(carried_ + k) == ValueId::none) return;
        const size_t rank = at_.file_tensor(rows_[k]).shape.size();
        Ints begin(rank, 0);
        begin[0] = 1;
        const auto numbers = [&](std::string_view what, const Ints& items) {
            const Tensor tensor = from_ints(DType::i32, {static_cast<int64_t>(items.size())}, items);
            return exporter_.add_tensor(at_.scope(), tensor_of(fmt::format("{}/{}{}", at_.node().name, what, k), tensor, {}));
        };
        at_.op(Code::SLICE, {rows_[k], numbers("from", begin), numbers("size", Ints(rank, -1))},
               {exporter_.tensor(at_.scope(), result(carried_ + k))});
    }

    // The rounds so far, which are input `place` of the body, with this one behind them.
    int64_t with_this_round(size_t k, size_t place) {
        const ValueId id = body_.outputs[1 + carried_ + k];
        const Value& each = body_.value(id);
        const int64_t before = exporter_.subgraph(scope_).inputs[place];
        Ints shape{1};
        for (const Dim& dim : each.type.shape.dims) shape.push_back(dim.value);
        const auto add = [&](std::string_view what, std::vector<Dim> dims) {
            const Type type = Type::tensor(each.type.dtype, Shape::of_dims(std::move(dims)));
            return exporter_.add_tensor(scope_, tensor_of(fmt::format("{}/{}{}", at_.node().name, what, k), type, each.enc));
        };
        std::vector<Dim> dims;
        for (const int64_t dim : shape) dims.push_back(Dim::of(dim));
        const int64_t row = add("row", dims);
        dims[0] = Dim::unknown();
        const int64_t grown = add("grown", dims);
        const Tensor wanted = from_ints(DType::i32, {static_cast<int64_t>(shape.size())}, shape);
        const int64_t as = exporter_.add_tensor(scope_, tensor_of(fmt::format("{}/shape{}", at_.node().name, k), wanted, {}));
        exporter_.add_operator(scope_, Code::RESHAPE, {exporter_.tensor(scope_, id), as}, {row}, {{"new_shape", shape}});
        Attrs options = no_activation;
        options["axis"] = int64_t{0};
        exporter_.add_operator(scope_, Code::CONCATENATION, {before, row}, {grown}, options);
        return grown;
    }

    void body() {
        lower_all(exporter_, scope_);
        const Ints begun = exporter_.subgraph(scope_).inputs;
        size_t place = 0;
        if (!condition_) {
            exporter_.add_output(scope_, -1);  // is known last
            ++place;
        }
        if (counts_) {
            next_round_ = inside("next_round", DType::i64);
            exporter_.add_operator(scope_, Code::ADD, {round_, number(scope_, "one", 1)}, {next_round_}, no_activation);
            exporter_.add_output(scope_, next_round_);
            ++place;
        }
        if (limited_) {
            exporter_.add_output(scope_, limit_);
            ++place;
        }
        for (size_t k = 0; k < carried_; ++k) exporter_.add_output(scope_, exporter_.tensor(scope_, body_.outputs[1 + k]));
        place += carried_;
        for (size_t k = 0; k < each_; ++k) exporter_.add_output(scope_, with_this_round(k, place + k));
        for (place += each_; place < begun.size(); ++place) exporter_.add_output(scope_, begun[place]);
        if (!condition_) exporter_.subgraph(scope_).outputs[0] = next_condition();
    }

    int64_t next_condition() {
        const int64_t wanted = exporter_.tensor(scope_, body_.outputs[0]);
        if (!limited_) return wanted;
        const int64_t more = inside("more", DType::boolean), both = inside("next_goes_on", DType::boolean);
        exporter_.add_operator(scope_, Code::LESS, {next_round_, limit_}, {more});
        exporter_.add_operator(scope_, Code::LOGICAL_AND, {more, wanted}, {both});
        return both;
    }

    // A subgraph that gives one value of the state.
    int64_t condition() {
        const Graph nothing;
        ExportScope scope = exporter_.open_body(body_.name + "/condition", nothing);
        for (const int64_t tensor : exporter_.subgraph(scope_).inputs) {
            FileTensor copy = exporter_.subgraph(scope_).tensors[static_cast<size_t>(tensor)];
            exporter_.add_input(scope, exporter_.add_tensor(scope, std::move(copy)));
        }
        const size_t place = condition_ ? *condition_ + (counts_ ? 1 : 0) : 0;
        exporter_.add_output(scope, exporter_.subgraph(scope).inputs[place]);
        return static_cast<int64_t>(scope.subgraph);
    }

    Lowering& at_;
    Exporter& exporter_;
    const Graph& body_;
    size_t carried_, each_ = 0;
    ExportScope scope_;
    bool limited_ = false, counts_ = false;
    std::optional<size_t> condition_;  // the carried value that says whether it goes on
    int64_t goes_on_ = -1, round_ = -1, limit_ = -1, next_round_ = -1;
    Ints in_, out_;
    Ints rows_;  // of each result of rounds, behind the loop
};

void loop(Lowering& at) { While(at).run(); }

constexpr std::array control_table{
    LowerRow{ops::If, if_else},
    LowerRow{ops::Loop, loop},
};

}  // namespace

std::span<const LowerRow> lower_control_rows() { return control_table; }

}  // namespace quern::tflite_format
