// Random networks from a seed: fast kernels agree with the reference, in both layouts, and the number of threads does not change a bit.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "libcore/exec/session.h"
#include "libcore/passes/passes.h"

using namespace quern;

namespace {

class RandomNet {
   public:
    explicit RandomNet(unsigned seed) : random_(seed) {
        channels_ = pick({1, 3, 8, 16, 20});
        side_ = pick({5, 8, 13, 16});
        value_ = input_ = graph_.add_value("x", type());
        graph_.inputs = {input_};
        const int64_t steps = pick({3, 6, 10});
        for (int64_t i = 0; i < steps; ++i) step();
        head();
        graph_.outputs = {value_};
        infer_types(graph_);
        verify(graph_);
    }

    const Graph& graph() const { return graph_; }
    Tensor input() {
        return Tensor::make<float>({2, channels_of_input_, side_of_input_, side_of_input_},
                                   numbers(2 * channels_of_input_ * side_of_input_ * side_of_input_, 1));
    }

   private:
    int64_t pick(std::initializer_list<int64_t> choices) {
        return choices.begin()[std::uniform_int_distribution<size_t>(0, choices.size() - 1)(random_)];
    }
    std::vector<float> numbers(int64_t count, float scale) {
        std::vector<float> out(static_cast<size_t>(count));
        for (float& item : out) item = std::uniform_real_distribution<float>(-scale, scale)(random_);
        return out;
    }
    Type type() const { return Type::tensor(DType::f32, Shape::of(Dims{2, channels_, side_, side_})); }
    ValueId constant(Dims dims, float scale, float offset = 0) {
        auto items = numbers(count_of(dims), scale);
        for (float& item : items) item += offset;
        return graph_.add_constant("c", Tensor::make<float>(std::move(dims), items));
    }
    void add(std::string_view op, std::vector<ValueId> in, Attrs attrs = {}) {
        const ValueId out = graph_.add_value(graph_.unique_name(op), Type::tensor(DType::f32));
        graph_.add_node(need_op(op), graph_.unique_node_name(op), std::move(in), {out}, std::move(attrs));
        value_ = out;
    }

    void conv() {
        const int64_t kernel = pick({1, 3}), stride = side_ > 6 ? pick({1, 1, 2}) : 1, group = pick({1, 1, channels_});
        const int64_t made = group == 1 ? pick({4, 8, 16, 17}) : channels_, pad = kernel / 2;
        std::vector<ValueId> in{value_, constant({made, channels_ / group, kernel, kernel}, 0.4f)};
        if (pick({0, 1}) == 1) in.push_back(constant({made}, 0.5f));
        add("Conv", std::move(in), {{"group", group}, {"strides", Dims{stride, stride}}, {"pads", Dims(4, pad)}});
        channels_ = made;
        side_ = (side_ + 2 * pad - kernel) / stride + 1;
        remember();
    }
    void pool() {
        const int64_t kernel = pick({2, 3}), pad = kernel / 2;
        Attrs attrs{{"kernel_shape", Dims{kernel, kernel}}, {"strides", Dims{2, 2}}, {"pads", Dims(4, pad)}};
        const bool max = pick({0, 1}) == 0;
        if (!max) attrs["count_include_pad"] = pick({0, 1});
        add(max ? "MaxPool" : "AveragePool", {value_}, std::move(attrs));
        side_ = (side_ + 2 * pad - kernel) / 2 + 1;
        remember();
    }
    // Values of the present shape, for residual additions.
    void remember() { same_shape_ = {value_}; }

    void step() {
        switch (pick({0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9})) {
            case 0: return conv();
            case 1: add("Relu", {value_}); break;
            case 2: add("Clip", {value_, constant({}, 0, -0.5f), constant({}, 0, 1.5f)}); break;
            case 3: add("Sigmoid", {value_}); break;
            case 4: add("HardSwish", {value_}); break;
            case 5:
                if (!same_shape_.empty()) add("Add", {value_, same_shape_[static_cast<size_t>(pick({0, 1})) % same_shape_.size()]});
                break;
            case 6: add("Mul", {value_, constant({}, 0, 0.7f)}); break;
            case 7: add("Add", {value_, constant({channels_, 1, 1}, 1)}); break;
            case 8:
                add("BatchNormalization", {value_, constant({channels_}, 0.5f, 1), constant({channels_}, 0.5f), constant({channels_}, 0.5f),
                                           constant({channels_}, 0.3f, 1)});
                break;
            case 9:
                if (side_ < 4) return;
                return pool();
            default: return;
        }
        same_shape_.push_back(value_);
    }

    void head() {
        if (pick({0, 1}) == 1) {
            add(pick({0, 1}) == 1 ? "GlobalAveragePool" : "GlobalMaxPool", {value_});
            side_ = 1;
        }
        add("Flatten", {value_}, {{"axis", int64_t{1}}});
        const int64_t depth = channels_ * side_ * side_, columns = pick({10, 40}), turned = pick({0, 1});
        std::vector<ValueId> in{value_, constant(turned == 1 ? Dims{columns, depth} : Dims{depth, columns}, 0.2f)};
        if (pick({0, 1}) == 1) in.push_back(constant({columns}, 0.5f));
        add("Gemm", std::move(in), {{"transB", turned}});
        if (pick({0, 1}) == 1) add("Add", {value_, constant({columns}, 0.5f)});
        if (pick({0, 1}) == 1) add("Relu", {value_});
        if (pick({0, 1}) == 1) add("Softmax", {value_}, {{"axis", int64_t{-1}}});
    }

    std::mt19937 random_;
    Graph graph_;
    int64_t channels_ = 1, side_ = 8;
    ValueId input_{}, value_{};
    std::vector<ValueId> same_shape_;

   public:
    int64_t channels_of_input_ = 0, side_of_input_ = 0;
};

std::vector<float> run(const Graph& graph, const Tensor& input, const CompileOptions& options, int threads) {
    ThreadPool pool(threads);
    Session session(Program::compile(graph, options), pool);
    return to_floats(session.run(std::span(&input, 1)).at(0));
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
    double difference = 0, largest = 1e-6;
    for (size_t i = 0; i < a.size(); ++i) {
        difference = std::max(difference, std::abs(static_cast<double>(a[i]) - b[i]));
        largest = std::max(largest, std::abs(static_cast<double>(a[i])));
    }
    return difference / largest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(fast_programs_agree_with_the_reference_on_random_networks) {
    for (unsigned seed = 0; seed < 150; ++seed) {
        RandomNet net(seed);
        const Shape& shape = net.graph().value(net.graph().inputs[0]).type.shape;
        net.channels_of_input_ = shape.dims[1].value;
        net.side_of_input_ = shape.dims[2].value;
        const Tensor input = net.input();
        const auto want = run(net.graph(), input, {.reference = true}, 1), got = run(net.graph(), input, {}, 1);
        BOOST_TEST_INFO("seed " << seed);
        BOOST_REQUIRE_EQUAL(want.size(), got.size());
        BOOST_TEST_INFO("seed " << seed);
        BOOST_TEST(distance(want, got) < 1e-4);
        BOOST_TEST_INFO("seed " << seed);
        BOOST_TEST((got == run(net.graph(), input, {}, 3)));
        BOOST_TEST_INFO("seed " << seed);
        BOOST_TEST(distance(want, run(net.graph(), input, {.observable = true}, 1)) < 1e-4);
    }
}

BOOST_AUTO_TEST_CASE(fast_programs_take_channels_last) {
    size_t convolutions = 0, fast = 0;
    for (unsigned seed = 200; seed < 300; ++seed) {
        RandomNet net(seed);
        const Shape& shape = net.graph().value(net.graph().inputs[0]).type.shape;
        net.channels_of_input_ = shape.dims[1].value;
        net.side_of_input_ = shape.dims[2].value;
        const Tensor input = net.input();
        Graph last = net.graph();
        run_passes(last, std::array{&move_layout, &drop_transpose_pairs, &fold_constants, &drop_dead});
        for (const Choice& choice : Program::compile(last, {})->choices()) {
            convolutions += choice.op == "Conv";
            fast += choice.op == "Conv" && (choice.kernel.starts_with("onednn") || choice.kernel.starts_with("direct"));
        }
        const auto want = run(net.graph(), input, {.reference = true}, 1), got = run(last, input, {}, 1);
        BOOST_REQUIRE_EQUAL(want.size(), got.size());
        BOOST_TEST_INFO("seed " << seed);
        BOOST_TEST(distance(want, got) < 1e-4);
        BOOST_TEST_INFO("seed " << seed);
        BOOST_TEST((got == run(last, input, {}, 3)));
    }
    BOOST_TEST(convolutions > 100u);
    BOOST_TEST(fast == convolutions);
}
