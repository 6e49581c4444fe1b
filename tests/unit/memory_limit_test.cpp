// What would not fit into memory is refused before anything is made, with node and size, whether shapes are known before or fed.
#include "libcore/base/memory_limit.h"

#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "libcore/exec/session.h"
#include "libcore/ops/shared/eval_node.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(memory_limit_)

namespace {

constexpr uint64_t limit = 256'000'000;
constexpr int64_t million = 1'000'000, huge = 1'000'000'000;

// While it lives, this process may not take much more than it has: what is made all the same fails, and says something else.
class Guarded {
   public:
    Guarded() {
        set_memory_limit(limit);
        uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        ::getrlimit(RLIMIT_AS, &before_);
        rlimit tight = before_;
        tight.rlim_cur = std::min<rlim_t>(pages * 4096 + 3 * limit, before_.rlim_max);
        ::setrlimit(RLIMIT_AS, &tight);
    }
    ~Guarded() {
        ::setrlimit(RLIMIT_AS, &before_);
        set_memory_limit(0);
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

   private:
    rlimit before_{};
};

Tensor zeros(Dims dims, DType dtype = DType::f32) {
    return {dtype, dims, Bytes::own(std::vector<std::byte>(storage_size(dtype, static_cast<uint64_t>(count_of(dims)))))};
}
Tensor ints(std::vector<int64_t> numbers) {
    const auto count = static_cast<int64_t>(numbers.size());
    return from_ints(DType::i64, {count}, numbers);
}
Tensor number(int64_t value) { return from_ints(DType::i64, {}, std::vector<int64_t>{value}); }
Tensor floats(std::vector<float> numbers) { return Tensor::vector<float>(numbers); }

struct Case {
    const char* op;
    std::vector<Tensor> inputs;
    Attrs attrs = {};
};

std::vector<Case> hostile() {
    const Tensor column = zeros({million, 1}), row = zeros({1, million}), line = zeros({million}), image = zeros({1, 1, 2, 2});
    using Ints = std::vector<int64_t>;
    return {
        {"Resize", {image, {}, floats({1, 1, 1e9f, 1e9f})}, {}},
        {"Resize", {image, {}, floats({1, 1, 1e9f, 1})}, {{"mode", std::string("cubic")}}},
        {"Resize", {image, {}, {}, ints({1, 1, huge, 2})}, {{"mode", std::string("linear")}}},
        {"Add", {column, row}},
        {"Where", {zeros({1}, DType::boolean), column, row}},
        {"Expand", {zeros({1}), ints({huge, huge})}},
        {"Tile", {image, ints({1, 1, huge, 1})}},
        {"Range", {number(0), number(huge * million), number(1)}},
        {"OneHot", {ints({0, 1}), number(huge * 1000), floats({0, 1})}},
        {"ConstantOfShape", {ints({huge, 3})}},
        {"Pad", {image, ints({0, 0, huge, 0, 0, 0, 0, 0})}},
        {"Pad", {image, ints({0, 0, huge, 0, 0, 0, huge, huge})}, {{"mode", std::string("reflect")}}},
        {"CenterCropPad", {image, ints({1, 1, huge, huge})}},
        {"MatMul", {column, row}},
        {"MatMul", {zeros({million, 1, 1, 1}), zeros({1, million, 1, 1})}},
        {"Gemm", {column, row}},
        {"Einsum", {line, line}, {{"equation", std::string("i,j->ij")}}},
        {"Einsum", {line, line, line}, {{"equation", std::string("i,j,k->ik")}}},
        {"Conv", {image, zeros({1, 1, 1, 1})}, {{"pads", Ints{huge, 0, huge, 0}}}},
        {"ConvTranspose", {image, zeros({1, 1, 1, 1})}, {{"strides", Ints{huge, huge}}}},
        {"ConvTranspose", {image, zeros({1, 1, 2, 2})}, {{"output_padding", Ints{0, 0}}, {"dilations", Ints{huge, 1}}}},
        {"AveragePool", {image}, {{"kernel_shape", Ints{huge, huge}}, {"pads", Ints{huge - 1, huge - 1, huge - 1, huge - 1}}}},
        {"MaxPool", {image}, {{"kernel_shape", Ints{huge, 1}}, {"pads", Ints{huge - 1, 0, huge - 1, 0}}}},
        {"LpPool", {image}, {{"kernel_shape", Ints{huge, 1}}, {"pads", Ints{huge - 1, 0, huge - 1, 0}}}},
        {"RoiAlign", {image, zeros({1, 4}), ints({0})}, {{"output_height", million}, {"output_width", million}}},
        {"AffineGrid", {zeros({1, 2, 3}), ints({1, 1, million, million})}},
        {"MaxUnpool",
         {image, from_ints(DType::i64, {1, 1, 2, 2}, std::vector<int64_t>{0, 1, 2, 3}), ints({1, 1, million, million})},
         {{"kernel_shape", Ints{1, 1}}}},
        {"GridSample", {zeros({1, 1000, 1, 1}), zeros({1, 1000, 1000, 2})}},
        {"Gather", {row, from_ints(DType::i64, {million}, std::vector<int64_t>(million))}},
        {"HannWindow", {number(huge * 1000)}},
        {"MelWeightMatrix", {number(million), number(million), number(16000), floats({0}), floats({8000})}},
        {"DFT", {zeros({1, 4, 1}), number(huge)}},
        {"Col2Im", {zeros({1, 1, 1}), ints({huge, huge}), ints({1, 1})}},
        {"RandomUniform", {}, {{"shape", Ints{huge, huge}}}},
        {"RandomNormal", {}, {{"shape", Ints{huge}}}},
        {"Multinomial", {zeros({1, 3})}, {{"sample_size", huge * 1000}}},
    };
}

// "": it computed something.
std::string refusal(const Case& c, bool fed) {
    Graph graph;
    std::vector<ValueId> in;
    std::vector<Tensor> data;
    for (const Tensor& tensor : c.inputs) {
        const std::string name = "x" + std::to_string(in.size());
        if (!tensor.defined()) {
            in.push_back(ValueId::none);
        } else if (fed || in.empty()) {
            in.push_back(graph.add_value(name, Type::tensor(tensor.dtype, fed ? Shape::unranked() : Shape::of(tensor.dims))));
            graph.inputs.push_back(in.back());
            data.push_back(tensor);
        } else {
            in.push_back(graph.add_constant(name, tensor));
        }
    }
    const ValueId out = graph.add_value("y", Type{});
    graph.outputs = {out};
    graph.add_node(need_op(c.op), "big", in, {out}, c.attrs);
    try {
        infer_types(graph);
        verify(graph);
        static ThreadPool pool(1);
        Session session(Program::compile(graph, {}), pool);
        session.run(data);
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::bad_input || error.exit() == Exit::unsupported), c.op << ": " << error.message());
        return error.message();
    }
    return "";
}

bool says_size(const std::string& message) {
    return message.find("the limit is") != message.npos || message.find("more than 2^63 elements") != message.npos ||
           message.find("too large") != message.npos || message.find("out of range") != message.npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(operators_do_not_make_what_does_not_fit) {
    for (const Case& c : hostile())
        for (const bool fed : {false, true}) {
            const Guarded guarded;
            const std::string message = refusal(c, fed);
            BOOST_TEST((message.find("\"big\"") != message.npos && says_size(message)),
                       c.op << (fed ? ", fed: " : ": ") << (message.empty() ? "computed" : message));
        }
}

BOOST_AUTO_TEST_CASE(one_node_alone_is_refused_too) {
    const Guarded guarded;
    for (const Case& c : hostile()) {
        Graph graph;
        std::vector<ValueId> in;
        for (size_t i = 0; i < c.inputs.size(); ++i)
            in.push_back(c.inputs[i].defined() ? graph.add_value("x" + std::to_string(i), Type{}) : ValueId::none);
        const NodeId id = graph.add_node(need_op(c.op), "big", in, {graph.add_value("y", Type{})}, c.attrs);
        BOOST_CHECK_THROW(eval_node(graph.node(id), c.inputs), Error);
    }
}

BOOST_AUTO_TEST_CASE(a_run_holds_no_more_than_the_limit) {
    const Guarded guarded;
    Graph graph;
    const ValueId x = graph.add_value("x", Type::tensor(DType::f32, Shape::of(Dims{25 * million})));
    graph.inputs = {x};
    std::vector<ValueId> sums;
    for (int i = 0; i < 3; ++i) {
        sums.push_back(graph.add_value("y" + std::to_string(i), Type{}));
        graph.add_node(need_op("Neg"), "neg" + std::to_string(i), {x}, {sums.back()}, {});
    }
    graph.outputs = sums;
    infer_types(graph);
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.reference = true}), pool);
    const std::vector<Tensor> data{zeros({25 * million})};
    BOOST_CHECK_EXCEPTION(session.run(data), Error, [](const Error& error) {
        return error.exit() == Exit::unsupported && error.message().find("\"neg2\"") != std::string::npos &&
               error.message().find("beside those in use") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(sizes_are_read_as_written) {
    BOOST_TEST(parse_memory_size("1000000") == 1000000u);
    BOOST_TEST(parse_memory_size("512M") == 512'000'000u);
    BOOST_TEST(parse_memory_size("8G") == 8'000'000'000u);
    for (const char* bad : {"", "0", "-1", "8Q", "1.5G", "M", "nan", "99999999999T"}) BOOST_CHECK_THROW(parse_memory_size(bad), Error);
    BOOST_TEST(memory_limit() > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
