// What runtimes ask of encodings: TensorFlow Lite's fixed results and shared grids; ONE's rules, with numbers worked out by hand.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

#include "libcore/base/error.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/assign/weights.h"
#include "libcore/quant/quantize.h"
#include "libcore/quantize/quantize_model.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

struct Net {
    Graph graph;
    Ranges ranges;

    void seen(const char* name, float min, float max) { ranges.values[name] = {.min = min, .max = max, .count = 4}; }
    ValueId input(const char* name, const Dims& dims, float min, float max) {
        graph.inputs.push_back(graph.add_value(name, Type::tensor(DType::f32, Shape::of(dims))));
        seen(name, min, max);
        return graph.inputs.back();
    }
    ValueId node(const char* op, const char* result, std::vector<ValueId> in, float min, float max, Attrs attrs = {}) {
        const ValueId out = graph.add_value(result, Type{});
        graph.add_node(need_op(op), std::string(result) + "_node", std::move(in), {out}, std::move(attrs));
        seen(result, min, max);
        return out;
    }
    ValueId constant(const char* name, Dims dims, const std::vector<float>& numbers) {
        return graph.add_constant(name, Tensor::make<float>(std::move(dims), numbers));
    }
    QuantReport quantize(std::vector<ValueId> outputs, const char* type, const char* profile = nullptr) {
        graph.outputs = std::move(outputs);
        infer_types(graph);
        verify(graph);
        const QuantRequest request{.scheme = &scheme_named(type), .full_integer = true};
        QuantWork work(request);
        if (profile) work.recipe = &recipe_named(profile);
        ThreadPool pool(1);
        QuantReport report = quantize_graph(graph, &ranges, work, pool);
        infer_types(graph);
        verify(graph);
        return report;
    }
    const Encoding& enc(const char* name) const {
        const auto& found = graph.value(graph.find(name)).enc;
        BOOST_TEST_REQUIRE(found.has_value(), name);
        return *found;
    }
    float scale(const char* name) const { return to_floats(enc(name).scale).at(0); }
    int64_t zero(const char* name) const { return enc(name).zero.defined() ? to_ints(enc(name).zero).at(0) : 0; }
    std::vector<int64_t> codes(const char* name) const { return to_ints(*graph.constant(graph.find(name))); }
};

GridSpec one_grid(DType storage, bool symmetric) { return recipe_named("one").grid(grid_spec(storage, symmetric)); }

}  // namespace

BOOST_AUTO_TEST_SUITE(quant_recipes)

BOOST_AUTO_TEST_CASE(tflite_fixes_what_its_kernels_demand) {
    struct Row {
        const char* type;
        float probability, tanh, log;
        int64_t probability_zero, tanh_zero, log_zero;
    };
    for (const Row& row :
         {Row{"i8", 1.0f / 256, 1.0f / 128, 16.0f / 256, -128, 0, 127}, Row{"u8i8", 1.0f / 256, 1.0f / 128, 16.0f / 256, 0, 128, 255},
          Row{"w8a16", 1.0f / 32768, 1.0f / 32768, 0, 0, 0, 0}}) {
        BOOST_TEST_INFO_SCOPE(row.type);
        Net net;
        const ValueId x = net.input("x", {2, 4}, -3, 5);
        const std::vector<ValueId> out{net.node("Softmax", "softmax", {x}, 0, 1), net.node("Sigmoid", "sigmoid", {x}, 0.1f, 0.9f),
                                       net.node("Tanh", "tanh", {x}, -0.9f, 0.9f), net.node("LogSoftmax", "log", {x}, -8, 0)};
        net.quantize(out, row.type, "tflite");
        for (const char* name : {"softmax", "sigmoid"}) {
            BOOST_TEST(net.scale(name) == row.probability);
            BOOST_TEST(net.zero(name) == row.probability_zero);
        }
        BOOST_TEST(net.scale("tanh") == row.tanh);
        BOOST_TEST(net.zero("tanh") == row.tanh_zero);
        if (row.log == 0) continue;
        BOOST_TEST(net.scale("log") == row.log);
        BOOST_TEST(net.zero("log") == row.log_zero);
    }
}

BOOST_AUTO_TEST_CASE(tflite_shares_grids_and_recodes_operands_that_cannot) {
    Net net;
    const ValueId x = net.input("x", {1, 2, 4, 4}, -1, 1);
    const Attrs pool{{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}};
    const ValueId a = net.node("AveragePool", "a", {x}, -0.5f, 0.5f, pool), r = net.node("Relu", "r", {a}, 0, 3);
    const ValueId m = net.node("Max", "m", {a, r}, -0.5f, 3);
    const ValueId s = net.node("Sigmoid", "s", {a}, 0.2f, 0.8f),
                  t = net.node("Transpose", "t", {s}, 0.2f, 0.8f, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
    const ValueId c = net.node("Concat", "c", {m, t}, -0.5f, 3, {{"axis", int64_t{1}}});
    net.quantize({c}, "i8", "tflite");
    for (const char* name : {"a", "r", "m", "c"}) BOOST_TEST((net.enc(name) == net.enc("x")), name);
    BOOST_TEST(net.scale("x") == 4.0f / 255);  // -1 .. 3, over all of them
    for (const char* name : {"s", "t"}) BOOST_TEST(net.scale(name) == 1.0f / 256, name);
    BOOST_TEST((net.enc("t_int8") == net.enc("c")));  // Concat reads the sigmoid on its own grid
}

// In ONNX the operands of a Concat have grids of their own where what else reads them would lose steps. "a" does by the result of c, which
// "b" makes three times as wide; "once" is read by c alone, and d is not wider than "a" by half.
BOOST_AUTO_TEST_CASE(onnx_parts_operands_of_a_concat_that_are_much_narrower) {
    for (const char* type : {"i8", "w8a16"}) {
        Net net;
        const ValueId x = net.input("x", {1, 2, 4, 4}, -3, 3), near = net.input("near", {1, 2, 4, 4}, 0, 1.2f);
        const ValueId a = net.node("Relu", "a", {x}, 0, 1), b = net.node("Relu", "b", {x}, 0, 3),
                      once = net.node("Sigmoid", "once", {x}, 0, 1);
        const ValueId c = net.node("Concat", "c", {a, b, once}, 0, 3, {{"axis", int64_t{1}}});
        const ValueId again =
            net.node("Reshape", "again", {a, net.graph.add_constant("dims", Tensor::vector<int64_t>(std::vector<int64_t>{32}))}, 0, 1);
        const ValueId d = net.node("Concat", "d", {a, near}, 0, 1.2f, {{"axis", int64_t{1}}});
        net.quantize({c, again, d}, type);
        const bool apart = std::string_view(type) == "i8";
        BOOST_TEST((net.enc("a") == net.enc("c")) == !apart);
        BOOST_TEST((net.enc("b") == net.enc("c")));
        BOOST_TEST((net.enc("a") == net.enc("again")));
        BOOST_TEST((net.enc("a") == net.enc("d")));
        if (apart) BOOST_TEST(net.scale("a") == 1.2f / 255);
    }
}

// What HTP writes whatever an encoding says, operands that keep their own, and what it computes too coarsely.
BOOST_AUTO_TEST_CASE(qnn_fixes_what_htp_demands) {
    for (const char* type : {"u8i8", "w8u16"}) {
        BOOST_TEST_INFO_SCOPE(type);
        const bool wide = std::string_view(type) == "w8u16";
        Net net;
        const ValueId x = net.input("x", {1, 4}, -3, 5);
        const ValueId softmax = net.node("Softmax", "softmax", {x}, 0, 0.9f), sigmoid = net.node("Sigmoid", "sigmoid", {x}, 0.1f, 0.9f),
                      tanh = net.node("Tanh", "tanh", {x}, -0.9f, 0.9f), relu = net.node("Relu", "relu", {x}, 0, 5),
                      moved = net.node("Transpose", "moved", {softmax}, 0, 0.9f, {{"perm", std::vector<int64_t>{0, 1}}}),
                      all = net.node("Concat", "all", {x, moved, relu}, -3, 5, {{"axis", int64_t{1}}}),
                      root = net.node("Sqrt", "root", {relu}, 0, 2.5f),
                      turned = net.node("Transpose", "turned", {relu}, 0, 5, {{"perm", std::vector<int64_t>{1, 0}}}),
                      product = net.node("MatMul", "product", {x, turned}, -9, 9);
        net.quantize({sigmoid, tanh, all, root, product}, type, "qnn");
        BOOST_TEST(net.scale("softmax") == (wide ? 1.0f / 65536 : 1.0f / 255));
        for (const char* name : {"softmax", "sigmoid", "relu"}) BOOST_TEST(net.zero(name) == 0, name);
        BOOST_TEST((net.enc("moved") == net.enc("softmax")));
        BOOST_TEST(!(net.enc("all") == net.enc("relu")));
        BOOST_TEST(net.graph.value(net.graph.find("product")).enc.has_value() == !wide);  // of two factors that are computed
        if (!wide) continue;
        BOOST_TEST(net.scale("sigmoid") == 1.0f / 65536);
        BOOST_TEST(net.scale("tanh") == 1.0f / 32768);
        BOOST_TEST(net.zero("tanh") == 32768);
        BOOST_TEST(!net.graph.value(net.graph.find("root")).enc);
    }
}

// Blocks that do not divide what is summed up are computed wrongly there, without a word.
BOOST_AUTO_TEST_CASE(qnn_has_whole_blocks_or_channels) {
    for (const int64_t depth : {64, 40}) {
        Net net;
        const ValueId x = net.input("x", {1, depth}, -1, 1);
        const ValueId w = net.constant("w", {depth, 2}, std::vector<float>(static_cast<size_t>(2 * depth), 0.5f));
        net.quantize({net.node("MatMul", "y", {x, w}, -9, 9)}, "w4u16", "qnn");
        BOOST_TEST(net.enc("w").block == (depth == 64 ? 32 : 0));
        BOOST_TEST(net.enc("w").axis == (depth == 64 ? 0 : 1));
    }
}

BOOST_AUTO_TEST_CASE(tflite_has_one_scale_for_fully_connected_weights_and_wide_biases) {
    Net net;
    const ValueId x = net.input("x", {1, 2}, -1, 1);
    const ValueId w = net.constant("w", {2, 2}, {1, 0.5f, 0.25f, 0.125f}), b = net.constant("b", {2}, {1, -1});
    net.quantize({net.node("Gemm", "y", {x, w, b}, -2, 2)}, "w8a16", "tflite");
    BOOST_TEST(net.enc("w").axis == -1);
    BOOST_TEST((net.codes("w") == std::vector<int64_t>{104, 52, 26, 13}));  // the scale of no error, not that of 127
    BOOST_TEST((net.enc("b").storage == DType::i64));
    BOOST_TEST(net.scale("b") == net.scale("x") * net.scale("w"));
    BOOST_TEST(net.zero("x") == 0);
}

// What follows a product keeps its domain where TFLite's form of the product takes it along.
BOOST_AUTO_TEST_CASE(tflite_products_take_activations_of_other_domains_along) {
    Model model;
    model.graph = graph_of(R"(%w = "onnx.Constant"() {value = dense<0.5> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
%m = "onnx.MatMul"(%x, %w) : (tensor<2x3x4xf32>, tensor<4x4xf32>) -> tensor<2x3x4xf32>
%y = "com.microsoft.QuickGelu"(%m) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>)");
    Ranges ranges;
    for (const char* name : {"x", "m", "y"}) ranges.values[name] = {.min = -1, .max = 1, .count = 4};
    const QuantRequest request{.scheme = &scheme_named("w8a16"), .destination = {.format = "tflite"}, .full_integer = true};
    ThreadPool pool(1);
    quantize_model(model, &ranges, request, pool);
    const auto is_active = [&](NodeId id) { return model.graph.node(id).is(ops::microsoft::QuickGelu); };
    BOOST_TEST(std::ranges::count_if(model.graph.order(), is_active) == 1);
}

// span 2.55 over 255 steps; -0.125 / 0.01 = 12.5 steps: half away from zero is 13, to even is 12.
BOOST_AUTO_TEST_CASE(one_asymmetric_grids) {
    const GridSpec spec = one_grid(DType::u8, false);
    BOOST_TEST(grid_of({-0.5, 2.05}, spec).scale == 0.01f);
    BOOST_TEST(grid_of({-0.5, 2.05}, spec).zero == 50);
    BOOST_TEST(grid_of({-12.5, 242.5}, spec).scale == 1);
    BOOST_TEST(grid_of({-12.5, 242.5}, spec).zero == 13);
    BOOST_TEST(grid_of({-12.5, 242.5}, grid_spec(DType::u8, false)).zero == 12);
    BOOST_TEST(grid_of({1, 5.1}, spec).zero == 0);  // all positive: from 0
    BOOST_TEST(grid_of({1, 5.1}, spec).scale == 0.02f);
    BOOST_TEST(grid_of({-5.1, -1}, spec).zero == 255);
    BOOST_TEST(grid_of({0, 0}, spec).scale == 1e-5f);
    BOOST_TEST(grid_of({0, 0}, spec).zero == 0);
    BOOST_TEST(grid_of({-1e-4, 0}, spec).scale == 1e-5f);  // by itself 3.9e-7: the floor, and the zero point of the floor
    BOOST_TEST(grid_of({-1e-4, 0}, spec).zero == 10);
}

BOOST_AUTO_TEST_CASE(one_symmetric_grids) {
    const GridSpec wide = one_grid(DType::i16, true), narrow = one_grid(DType::i8, true);
    BOOST_TEST(narrow.qmin == -127);
    BOOST_TEST(grid_of({-2.54, 1}, narrow).scale == 0.02f);
    BOOST_TEST(grid_of({-1, 32767}, wide).scale == 1);
    BOOST_TEST(grid_of({-1, 32767}, wide).zero == 0);
    BOOST_TEST(grid_of({0, 0}, wide).scale == 1e-8f);
    BOOST_TEST(grid_of({0, 0}, narrow).scale == 1e-5f);
}

// Output channels 0 (-1 .. 1.55) and 1 (0.51 .. 5.1), along axis 0 of a convolution.
BOOST_AUTO_TEST_CASE(one_asymmetric_weights_per_channel) {
    Net net;
    const ValueId x = net.input("x", {1, 2, 1, 1}, -1, 1.55f);
    const ValueId w = net.constant("w", {2, 2, 1, 1}, {-1, 1.55f, 0.51f, 5.1f}), b = net.constant("b", {2}, {0.00025f, -0.0004f});
    net.quantize({net.node("Conv", "y", {x, w, b}, -5, 5)}, "u8-asym");
    BOOST_TEST(net.enc("w").axis == 0);
    BOOST_TEST(to_floats(net.enc("w").scale) == std::vector<float>({0.01f, 0.02f}), boost::test_tools::per_element());
    BOOST_TEST(to_ints(net.enc("w").zero) == std::vector<int64_t>({100, 0}), boost::test_tools::per_element());
    BOOST_TEST(net.codes("w") == std::vector<int64_t>({0, 255, 26, 255}), boost::test_tools::per_element());  // 25.5 away from 0
    BOOST_TEST((net.enc("b").storage == DType::i32));
    BOOST_TEST(net.codes("b") == std::vector<int64_t>({3, -2}), boost::test_tools::per_element());  // 2.5 and -2 steps of 1e-4 and 2e-4
}

// onert's kernel for uint8 products reads the first scale only; other codes have no kernel there, and keep ONE's rule.
BOOST_AUTO_TEST_CASE(one_products_of_uint8_have_one_scale) {
    for (const std::string type : {"u8-asym", "i16-sym", "wo-i8-sym"})
        for (const char* op : {"Gemm", "MatMul"}) {
            Net net;
            const ValueId x = net.input("x", {1, 2}, -1, 1.55f);
            const ValueId w = net.constant("w", {2, 2}, {-1, 1.55f, 0.51f, 5.1f});
            net.quantize({net.node(op, "y", {x, w}, -5, 5)}, type.c_str());
            BOOST_TEST(net.enc("w").axis == (type == "u8-asym" ? -1 : 1), type << " " << op);
        }
}

BOOST_AUTO_TEST_CASE(one_codes_of_constants_round_half_away) {
    Encoding e = make_encoding(DType::i8, Tensor::scalar(0.5f), {}, -1, true);
    const Tensor x = Tensor::vector<float>(std::vector<float>{0.25f, 0.75f, -0.25f, -1.25f, 100, -100});
    BOOST_TEST(to_ints(constant_codes(x, e, recipe_named("one"))) == std::vector<int64_t>({1, 2, -1, -3, 127, -127}),
               boost::test_tools::per_element());
    BOOST_TEST(to_ints(constant_codes(x, e, recipe_named("onnx"))) == std::vector<int64_t>({0, 2, 0, -2, 127, -127}),
               boost::test_tools::per_element());
    // Asymmetric codes are steps above the lowest number, so halves go up.
    e = make_encoding(DType::u8, Tensor::scalar(0.5f), from_ints(DType::u8, {}, std::vector<int64_t>{4}));
    BOOST_TEST(to_ints(constant_codes(x, e, recipe_named("one"))) == std::vector<int64_t>({5, 6, 4, 2, 204, 0}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_fixed_results_and_whole_scales) {
    for (const bool wide : {false, true}) {
        Net net;
        const ValueId x = net.input("x", {2, 4}, -3, 600);
        const ValueId s = net.node("Softmax", "softmax", {x}, 0, 1), l = net.node("Sigmoid", "logistic", {x}, 0, 1);
        const ValueId t = net.node("Tanh", "tanh", {x}, -1, 1), h = net.node("HardSigmoid", "hard", {x}, 0.25f, 0.5f);
        const ValueId f = net.node("Floor", "floor", {x}, -3, 600), c = net.node("Ceil", "ceil", {l}, 0, 1);
        const ValueId d = net.constant("d", {1}, {7}), r = net.node("Mod", "mod", {x, d}, 0, 700);
        net.quantize({s, l, t, h, f, c, r}, wide ? "int16" : "uint8");
        BOOST_TEST(net.scale("mod") == (wide ? 1 : 3));  // 700 / 255 = 2.75
        BOOST_TEST(net.scale("softmax") == (wide ? 1.0f / 32767 : 1.0f / 255));
        BOOST_TEST(net.scale("logistic") == (wide ? 1.0f / 32768 : 1.0f / 256));
        BOOST_TEST(net.zero("logistic") == 0);
        BOOST_TEST(net.scale("tanh") == (wide ? 1.0f / 32768 : 2.0f / 256));
        BOOST_TEST(net.zero("tanh") == (wide ? 0 : 128));
        BOOST_TEST(net.scale("hard") == (wide ? 0.5f / 32767 : 0.5f / 255));  // measured: not one of the three
        BOOST_TEST(net.scale("floor") == (wide ? 1 : 2));                     // 603 / 255 = 2.36; 600 / 32767 < 1
        BOOST_TEST(net.zero("floor") == (wide ? 0 : 1));                      // of the scale before it was rounded: 3 / 2.36 = 1.27
        BOOST_TEST(net.scale("ceil") == 1);
    }
}

// Slopes, scales and shifts: each number is one step of its own scale, above the zero point or below it.
BOOST_AUTO_TEST_CASE(one_constants_with_a_number_a_channel) {
    for (const bool wide : {false, true}) {
        Net net;
        const ValueId x = net.input("x", {1, 3, 2, 2}, -3, 3);
        const ValueId slope = net.constant("slope", {3, 1, 1}, {0.25f, -0.5f, 0}), gamma = net.constant("gamma", {3}, {2, 3, -4}),
                      beta = net.constant("beta", {3}, {-1, 0.5f, 1});
        const ValueId p = net.node("PRelu", "p", {x, slope}, -1, 3), n = net.node("InstanceNormalization", "n", {p, gamma, beta}, -2, 2);
        net.quantize({n}, wide ? "int16" : "uint8");
        BOOST_TEST(net.enc("slope").axis == 0);
        BOOST_TEST(to_floats(net.enc("slope").scale) == std::vector<float>({0.25f, 0.5f, 1}), boost::test_tools::per_element());
        BOOST_TEST(net.codes("slope") == (wide ? std::vector<int64_t>{1, -1, 0} : std::vector<int64_t>{1, 0, 0}),
                   boost::test_tools::per_element());
        BOOST_TEST(to_ints(net.enc("gamma").zero) == (wide ? std::vector<int64_t>{0, 0, 0} : std::vector<int64_t>{0, 0, 1}),
                   boost::test_tools::per_element());
        for (const char* name : {"slope", "gamma", "beta"}) {
            const auto real = to_floats(dequantize(*net.graph.constant(net.graph.find(name)), net.enc(name)));
            const std::vector<float> want = name[0] == 's'   ? std::vector<float>{0.25f, -0.5f, 0}
                                            : name[0] == 'g' ? std::vector<float>{2, 3, -4}
                                                             : std::vector<float>{-1, 0.5f, 1};
            BOOST_TEST(real == want, boost::test_tools::per_element());
        }
    }
    Net net;  // more than a number a channel: stays float
    const ValueId x = net.input("x", {1, 3, 2, 2}, -3, 3), slope = net.constant("slope", {3, 2, 1}, {1, 2, 3, 4, 5, 6});
    net.quantize({net.node("PRelu", "p", {x, slope}, -1, 3)}, "uint8");
    BOOST_TEST(!net.graph.value(slope).enc.has_value());
}

BOOST_AUTO_TEST_CASE(one_forwards_and_backwards) {
    Net net;
    const ValueId x = net.input("x", {1, 2, 2, 2}, -1, 1.55f), z = net.input("z", {1, 2, 2, 2}, 0, 5.1f);
    const ValueId r = net.node("Relu", "r", {x}, 0, 1.53f);
    const ValueId t =
        net.node("Transpose", "t", {r}, 0, 1.02f, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});  // measured less: the input's grid counts
    const ValueId m = net.node("MaxPool", "m", {t}, 0, 0.51f, {{"kernel_shape", std::vector<int64_t>{1, 1}}});
    const ValueId u = net.node("Relu", "u", {z}, 0, 5.1f);
    const ValueId c = net.node("Concat", "c", {m, u}, 0, 2.55f, {{"axis", int64_t{1}}});
    net.quantize({c}, "u8-asym");
    BOOST_TEST(net.scale("r") == 1.53f / 255);
    BOOST_TEST((net.enc("t") == net.enc("r")));
    BOOST_TEST(net.scale("c") == 2.55f / 255);  // the result's grid goes back to both operands
    BOOST_TEST((net.enc("m") == net.enc("c")));
    BOOST_TEST((net.enc("u") == net.enc("c")));
}

// luci: PropagateQParamBackward sees results as they were measured; QuantizeSpecialActivation comes after it.
BOOST_AUTO_TEST_CASE(one_gives_back_to_operands_of_its_own) {
    Net net;
    const ValueId x = net.input("x", {1, 1, 2, 2}, 0, 2.55f), w = net.constant("w", {1, 1, 1, 1}, {1});
    const ValueId shared = net.node("Relu", "shared", {x}, 0, 5.1f), whole = net.node("Floor", "whole", {x}, 0, 2);
    const ValueId fixed = net.node("Sigmoid", "fixed", {x}, 0, 1), alone = net.node("Relu", "alone", {x}, 0, 0.51f);
    const ValueId k = net.constant("k", {1, 1, 2, 2}, {1, 2, 3, 4}), conv = net.node("Conv", "conv", {shared, w}, 0, 5.1f);
    const Attrs axis{{"axis", int64_t{1}}};
    const ValueId inner = net.node("Concat", "inner", {shared, whole, fixed, alone, k}, 0, 510, axis);
    net.quantize({net.node("Concat", "outer", {inner, conv}, 0, 1020, axis)}, "u8-asym");
    BOOST_TEST(net.scale("shared") == 5.1f / 255);  // Conv reads it, too
    BOOST_TEST(net.scale("whole") == 2);            // 510 / 255, whole by chance
    BOOST_TEST(net.scale("fixed") == 1.0f / 256);
    BOOST_TEST(net.scale("alone") == 2);
    BOOST_TEST(net.scale("k") == 2);
    BOOST_TEST(net.scale("inner") == 2);  // a Concat of a Concat
    BOOST_TEST(net.scale("conv") == 4);
    BOOST_TEST(net.scale("outer") == 4);
    BOOST_TEST(std::ranges::none_of(net.graph.order(), [&](NodeId id) { return net.graph.node(id).op->name == "Recode"; }));
}

BOOST_AUTO_TEST_CASE(one_rounds_what_a_concat_gave_back) {
    Net net;
    const ValueId x = net.input("x", {1, 1, 2, 2}, 0, 2.55f), whole = net.node("Floor", "whole", {x}, 0, 2);
    net.quantize({net.node("Concat", "c", {whole, net.node("Relu", "r", {x}, 0, 1)}, 0, 612, {{"axis", int64_t{1}}})}, "u8-asym");
    BOOST_TEST(net.scale("c") == 2.4f);
    BOOST_TEST(net.scale("r") == 2.4f);
    BOOST_TEST(net.scale("whole") == 2);
}

BOOST_AUTO_TEST_CASE(one_combines_runs) {
    ValueRange value{.min = -9, .max = 9, .count = 101};
    for (uint64_t i = 0; i <= 100; ++i) value.runs[i] = {-static_cast<float>(i) - 1, static_cast<float>(i)};
    SearchOptions options{.by_runs = true};
    const RealRange found = search_range(value, one_grid(DType::u8, false), options);
    BOOST_TEST(found.lo == -100);  // place 1 of the sorted minima -101, -100 ...
    BOOST_TEST(found.hi == 99);    // place 99 of the maxima
    ValueRange two{.min = -2, .max = 4, .count = 2};
    two.runs[0] = {-2, 2};
    two.runs[1] = {-1, 4};
    const RealRange between = search_range(two, one_grid(DType::u8, false), options);
    BOOST_TEST(between.lo == -1.99, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(between.hi == 3.98, boost::test_tools::tolerance(1e-12));
    // Batches of two: (-2, 4), then (-6, 3) alone, by a weight of 0.1.
    two.runs[2] = {-6, 3};
    const RealRange average = search_range(two, {}, {.method = &method_named("moving-average"), .averaging_batch = 2});
    BOOST_TEST(average.lo == -2.4, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(average.hi == 3.9, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(one_weight_only_touches_three_operators) {
    for (const char* type : {"int8_wo", "int16_wo"}) {
        Net net;
        const ValueId x = net.input("x", {1, 1, 2, 2}, -1, 1);
        const ValueId w = net.constant("w", {1, 1, 1, 1}, {0}), v = net.constant("v", {1, 1, 1, 1}, {3});
        const ValueId conv = net.node("Conv", "conv", {x, w}, -1, 1);
        net.quantize({net.node("ConvTranspose", "y", {conv, v}, -1, 1)}, type);
        const bool wide = type[3] == '1';
        BOOST_TEST((net.enc("w").storage == (wide ? DType::i16 : DType::i8)));
        BOOST_TEST(net.scale("w") == (wide ? 1e-8f : 1e-5f));  // a channel of zeros has the floor
        for (const char* name : {"v", "x", "conv", "y"}) BOOST_TEST(!net.graph.value(net.graph.find(name)).enc.has_value(), name);
    }
}

BOOST_AUTO_TEST_SUITE_END()
