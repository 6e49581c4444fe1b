#include "formats/gguf/build.h"

#include <algorithm>

#include "formats/gguf/layer.h"
#include "formats/gguf/rope.h"
#include "libcore/graph/op_ids.h"

namespace quern::gguf {
namespace {

constexpr int64_t least_positions = 2048;   // of the tables of angles: models go on beyond the length that they were trained on
constexpr int64_t most_angles = 1LL << 26;  // of a table: 1,048,576 positions of 64 pairs, 256 MiB

class ModelBuilder {
   public:
    explicit ModelBuilder(const File& file) : hyper_(hyper_of(file)), weights_(file, graph_), net_(graph_) {}

    Built built() && {
        graph_.name = hyper_.architecture->name;
        const Dim batch = Dim::named("batch"), sequence = Dim::named("sequence");
        const ValueId ids = input("input_ids", {batch, sequence});
        const ValueId mask = input("attention_mask", {batch, Dim::named("total_sequence")});
        positions_ = input("position_ids", {batch, sequence});
        add_mask(mask, ids);
        add_angles();
        ValueId x = embedded(ids);
        LayerBuilder layers(hyper_, weights_, net_, shared_);
        const ValueId logits = graph_.add_value("logits", Type::tensor(DType::f32));
        graph_.outputs.push_back(logits);
        for (size_t i = 0; i < static_cast<size_t>(hyper_.layers); ++i) x = layers.layer(i, x);
        add_head(layers, layers.input_norm(x, "output_norm"), logits);
        Built built{{}, weights_.beside(), weights_.unused(), {}};
        if (built_positions_ > 0 && built_positions_ < hyper_.context) built.shortened = {hyper_.context, built_positions_};
        built.graph = std::move(graph_);
        return built;
    }

   private:
    ValueId input(std::string name, std::vector<Dim> dims) {
        const ValueId id = graph_.add_value(std::move(name), Type::tensor(DType::i64, Shape::of_dims(std::move(dims))));
        graph_.inputs.push_back(id);
        return id;
    }

    // Padding is seen by nobody; what a token sees of those before it is Attention's own business. [batch, 1, sequence, total]: onnxruntime
    // 1.31 takes no mask that is one line for all tokens.
    void add_mask(ValueId mask, ValueId ids) {
        const ValueId flags = net_.add(ops::Cast, "mask.cast", {mask}, {{"to", onnx_type(DType::boolean)}});
        const ValueId line = net_.add(ops::Unsqueeze, "mask.line", {flags, net_.integers({1, 2}, "mask.axes")});
        const ValueId length = net_.add(ops::Shape, "mask.length", {ids}, {{"start", int64_t{1}}, {"end", int64_t{2}}});
        const ValueId one = net_.integers({1}, "mask.one");
        const ValueId dims = net_.add(ops::Concat, "mask.dims", {one, one, length, one}, {{"axis", int64_t{0}}});
        shared_.mask = net_.add(ops::Expand, "mask", {line, dims});
    }

    // A small file can name any context: the tables hold a bounded part of it.
    int64_t table_positions() const {
        const int64_t pairs = hyper_.rotated / 2;
        if (pairs > most_angles / least_positions)
            throw unsupported("{} numbers of a head are rotated, at most {} can be", hyper_.rotated, 2 * (most_angles / least_positions));
        return std::min(std::max(hyper_.context, least_positions), most_angles / pairs);
    }

    std::pair<ValueId, ValueId> angles(const std::string& name, double base, const RopeScaling& scaling, std::span<const float> divisors) {
        const RopeTables tables = rope_tables(hyper_, base, scaling, divisors, built_positions_);
        const auto rows = [&](const std::string& what, const Tensor& table) {
            return net_.add(ops::Gather, what, {graph_.add_constant(what + ".table", table), positions_});
        };
        return {rows(name + "cos", tables.cosine), rows(name + "sin", tables.sine)};
    }

    void add_angles() {
        if (hyper_.architecture->rope == Architecture::Rope::none || hyper_.rotated == 0) return;
        built_positions_ = table_positions();
        std::tie(shared_.cosine, shared_.sine) = angles("", hyper_.base, hyper_.scaling, divisors());
        const bool local = std::ranges::any_of(hyper_.windows, [](int64_t window) { return window > 0; });
        const bool unscaled = hyper_.architecture->unscaled_local;
        if (!local || (!unscaled && hyper_.local_base == hyper_.base)) return;
        std::tie(shared_.local_cosine, shared_.local_sine) =
            unscaled ? angles("local_", hyper_.local_base, {}, {}) : angles("local_", hyper_.local_base, hyper_.scaling, divisors());
    }

    // Of Llama 3.1 and later, and of Phi 3's long and short contexts.
    std::vector<float> divisors() {
        const int64_t pairs = hyper_.rotated / 2;
        const bool longer = hyper_.context > hyper_.scaling.original_context;
        std::vector<float> found;
        for (const char* name : {"rope_freqs.weight", longer ? "rope_factors_short.weight" : "rope_factors_long.weight",
                                 longer ? "rope_factors_long.weight" : "rope_factors_short.weight"})
            if (weights_.has(name)) found = positive(name, weights_.numbers(name, {pairs}));  // the last one there counts
        if (!found.empty()) return found;
        if (hyper_.scaling.kind == RopeScaling::Kind::longrope)
            throw bad_input("longrope needs tensors rope_factors_long and rope_factors_short");
        return {};
    }

    static std::vector<float> positive(std::string_view name, std::vector<float> numbers) {
        for (const float number : numbers)
            if (!(number > 0)) throw bad_input("tensor \"{}\" has a divisor {}, need numbers above 0", name, number);
        return numbers;
    }

    ValueId embedded(ValueId ids) {
        if (hyper_.vocabulary == 0) throw bad_input("there is no tensor \"token_embd.weight\"");
        ValueId x = net_.add(ops::Gather, "token_embd", {weights_.table("token_embd.weight", hyper_.vocabulary, hyper_.embedding), ids});
        if (weights_.has("position_embd.weight")) {
            const ValueId table = weights_.table("position_embd.weight", hyper_.context, hyper_.embedding);
            x = net_.add(ops::Add, "embd", {x, net_.add(ops::Gather, "position_embd", {table, positions_})});
        } else if (hyper_.architecture->rope == Architecture::Rope::none) {
            throw bad_input("there is no tensor \"position_embd.weight\"");
        }
        return net_.scaled(x, hyper_.embedding_scale, "embd_scale");
    }

    void add_head(LayerBuilder& layers, ValueId x, ValueId logits) {
        ValueId y;
        if (weights_.has("output.weight"))
            y = layers.linear(x, "output", hyper_.vocabulary, hyper_.embedding);
        else
            y = net_.add(ops::MatMul, "output",
                         {x, weights_.matrix("token_embd.weight", hyper_.vocabulary, hyper_.embedding, "output.weight")});
        y = net_.soft_capped(net_.scaled(y, hyper_.logit_scale, "logit_scale"), hyper_.logit_softcap, "logit_softcap");
        graph_.replace_uses(y, logits);
        const NodeId last = graph_.value(y).producer;
        graph_.node(last).out[0] = logits;
        graph_.value(logits).producer = last;
        graph_.value(y).producer = NodeId::none;
        graph_.erase(y);
    }

    Graph graph_;
    Hyper hyper_;
    Weights weights_;
    Net net_;
    Shared shared_;
    ValueId positions_ = ValueId::none;
    int64_t built_positions_ = 0;
};

}  // namespace

Built build(const File& file) { return ModelBuilder(file).built(); }

}  // namespace quern::gguf
