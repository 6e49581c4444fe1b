// Checks of quantized models: who is named as the cause, how far estimates are from evaluations, what a proposal is worth.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/check/probe.h"
#include "libcore/quant/report/coverage.h"
#include "libcore/quantize/quantize_model.h"
#include "tests/common/graph_of.h"
#include "tests/unit/check_nets.h"

using namespace quern;
using namespace quern::check_nets;

namespace {

double all_shares(const CheckReport& report) {
    double sum = 0;
    for (const Sensitivity& row : report.rows) sum += row.share();
    return sum;
}

BudgetOutcome budget(Bench& bench, std::string_view type, const Goal& goal, std::optional<uint64_t> bytes = {},
                     std::optional<double> float_percent = {}) {
    const Quantizer quantizer = bench.quantizer(type);
    const Graph exact = quantizer.exact();
    Evaluator evaluator(exact, *bench.source, {});
    const BudgetOptions options{
        .goal = goal, .max_bytes = bytes, .max_float_percent = float_percent, .types = usual_types(scheme_named(type), quantizer.work())};
    BudgetOutcome outcome = meet_budget(quantizer, *bench.source, evaluator, options);
    BOOST_TEST(outcome.evaluations == evaluator.count());
    return outcome;
}

double bit_operations(const std::vector<const Scheme*>& types) {
    double sum = 0;
    for (const Scheme* type : types) sum += 36 * 64 * (type ? bits_of(type->activation) * bits_of(type->weight) : 32 * 32);
    return sum;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(check)

// TFLite has no products of 16-bit weights, Circle (onert) has, by whatever rules the type that the model has goes.
BOOST_AUTO_TEST_CASE(types_are_those_of_the_format) {
    const auto names = [](std::string_view type, std::string_view format, bool from_tflite) {
        Graph graph;
        if (from_tflite) graph.metadata["profile"] = "tflite";
        const QuantRequest request{.destination = destination_of(format)};
        std::string out;
        for (const Scheme* scheme : usual_types(scheme_named(type), QuantWork(request, graph)))
            out += scheme ? std::string(scheme->name) + " " : "float";
        return out;
    };
    BOOST_TEST(names("i8", "onnx", false) == "w4a16 i8 w8a16 i16-sym float");
    BOOST_TEST(names("i8", "tflite", false) == "w4a8 i8 w8a16 float");
    BOOST_TEST(names("i8", "native", true) == "w4a8 i8 w8a16 float");
    BOOST_TEST(names("u8-asym", "native", true) == "w4a8 u8-asym w8a16 float");
    BOOST_TEST(names("u8-asym", "circle", false) == "w4a16 u8-asym w8a16 i16-sym float");
}

BOOST_AUTO_TEST_CASE(the_outlier_among_weights_is_named_with_its_channel) {
    Bench bench(outlier_weight());
    const CheckReport report = bench.report("i8", 1);
    const Sensitivity& worst = report.rows.at(0);
    BOOST_TEST(worst.name == "conv2");
    BOOST_TEST(worst.op == "Conv");
    BOOST_TEST((worst.cause == Cause::weights));
    BOOST_TEST(worst.channel == 5);
    BOOST_TEST(worst.share() > 0.5);
    BOOST_TEST(report.weights_db < report.activations_db - 3);
    BOOST_TEST(std::abs(report.checked.at(0).alone_db - worst.alone_db) < 1.5);
    BOOST_TEST(std::abs(report.checked.at(0).without_db - worst.without_db) < 1.5);
    BOOST_TEST(report.causes.at(0).starts_with("weights, channel 5 makes "), report.causes.at(0));
}

BOOST_AUTO_TEST_CASE(the_outlier_among_activations_is_named_with_its_channel) {
    Bench bench(outlier_channel());
    const CheckReport report = bench.report("i8", 1);
    const Sensitivity& worst = report.rows.at(0);
    BOOST_TEST(worst.name == "conv1");
    BOOST_TEST((worst.cause == Cause::rounding));
    BOOST_TEST(worst.channel == 5);
    BOOST_TEST(worst.share() > 0.6);
    BOOST_TEST(worst.core < 0.1);
    BOOST_TEST(std::abs(worst.outliers - 0.125) < 0.02);
    BOOST_TEST(report.activations_db < report.weights_db - 3);
    BOOST_TEST(std::abs(report.checked.at(0).alone_db - worst.alone_db) < 2);
    BOOST_TEST(report.causes.at(0).find("channel 5 has the peaks") != std::string::npos, report.causes.at(0));
}

BOOST_AUTO_TEST_CASE(a_proposal_changes_the_culprit_and_holds) {
    for (const bool weight : {true, false}) {
        Bench bench(weight ? outlier_weight() : outlier_channel());
        const double before = bench.report("i8").models.at(0).evaluation.worst_db();
        const Goal goal{.min_sqnr_db = before + 3, .max_drop_points = {}, .min_agreement = {}};
        const BudgetOutcome outcome = budget(bench, "i8", goal);
        BOOST_TEST(outcome.met);
        BOOST_TEST(outcome.evaluation.worst_db() >= before + 3);
        BOOST_TEST(outcome.first_db == before);
        BOOST_REQUIRE(!outcome.rules.empty());
        // No more is stored than with the one type that suffices for all: weights of 16 bits for the culprit alone would be more.
        BOOST_TEST(outcome.bytes <= stored_bytes(bench.quantizer("i8").quantized(scheme_named("w8a16"))));
        BOOST_TEST(outcome.changes.size() <= (weight ? 4 : 2));
        if (weight)  // most units need 16 bits, so that all have them
            BOOST_TEST(outcome.rules.global == &scheme_named("w8a16"));
        else
            BOOST_TEST(outcome.rules.nodes.contains("conv1"));
        // The rules as a file give the same model.
        const Rules rules = parse_rules(rules_json(scheme_named("i8"), outcome.rules, nullptr));
        const QuantRequest request{.scheme = &scheme_named("i8"), .rules = &rules};
        ThreadPool pool(1);
        const Quantizer again(bench.model, &bench.ranges, request, pool);
        const Graph exact = again.exact();
        Evaluator evaluator(exact, *bench.source, {});
        BOOST_TEST(evaluator.evaluate(again.with_rules({})).worst_db() == outcome.evaluation.worst_db());
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_reached_is_no_success) {
    Bench bench(chain(3));
    const Goal goal{.min_sqnr_db = 300, .max_drop_points = {}, .min_agreement = {}};
    const BudgetOutcome types = budget(bench, "i8", goal, 100);
    BOOST_TEST(!types.met);
    BOOST_TEST(types.missed.size() == 2);
    BOOST_TEST(types.bytes > 100);
}

BOOST_AUTO_TEST_CASE(no_more_stays_float_than_may) {
    Bench bench(chain(3));
    const Goal goal{.min_sqnr_db = 130, .max_drop_points = {}, .min_agreement = {}};  // which codes do not reach
    const BudgetOutcome free = budget(bench, "i8", goal);
    BOOST_TEST(free.met);
    BOOST_TEST(float_macs_percent(free.coverage) > 70);
    for (const double limit : {0.0, 40.0, 70.0}) {
        const BudgetOutcome outcome = budget(bench, "i8", goal, {}, limit);
        BOOST_TEST(!outcome.met);
        BOOST_TEST(float_macs_percent(outcome.coverage) <= limit);
        BOOST_TEST(outcome.missed.size() == 1);
        BOOST_TEST(outcome.evaluation.worst_db() > outcome.first_db);
    }
    const BudgetOutcome all = budget(bench, "i8", goal, {}, 100.0);
    BOOST_TEST(all.met);
    BOOST_TEST(all.changes.size() == free.changes.size());
    const Goal codes_reach{.min_sqnr_db = 50, .max_drop_points = {}, .min_agreement = {}};
    const BudgetOutcome none = budget(bench, "i8", codes_reach, {}, 0.0);
    BOOST_TEST(none.met);
    BOOST_TEST(float_macs_percent(none.coverage) == 0);
}

BOOST_AUTO_TEST_CASE(fewer_bytes_make_weights_coarser_where_that_costs_least) {
    Bench bench(chain(3, 32));
    change(bench.model.graph, "w1", [](std::vector<float>& w) { w[3] = 30; });  // what four bits lose of the others there is most
    const uint64_t before = budget(bench, "i8", {}).bytes;
    const BudgetOutcome outcome = budget(bench, "i8", {}, before - 300);
    BOOST_TEST(outcome.met);
    BOOST_TEST(outcome.bytes <= before - 300);
    BOOST_TEST(outcome.changes.size() == 1);
    BOOST_TEST(!outcome.rules.nodes.contains("conv1"));
    for (const Change& change : outcome.changes) BOOST_TEST(change.type->name == "w4a16");
}

BOOST_AUTO_TEST_CASE(shares_add_up_and_estimates_are_near_what_is_measured) {
    Bench bench(chain(5));
    const CheckReport report = bench.report("i8", 6);
    BOOST_TEST(std::abs(all_shares(report) - 1) < 1e-9);
    BOOST_TEST(report.checked.size() == 6);
    for (size_t i = 0; i < report.checked.size(); ++i)
        BOOST_TEST(std::abs(report.checked[i].alone_db - report.rows[i].alone_db) < 3,
                   report.rows[i].name << ": estimated " << report.rows[i].alone_db << ", evaluated " << report.checked[i].alone_db);
    BOOST_TEST(report.evaluations == 1 + 2 + 2 * 6);
    BOOST_TEST(report.passes == 1);
}

BOOST_AUTO_TEST_CASE(reports_are_the_same_on_any_number_of_threads) {
    Bench bench(outlier_channel());
    const Quantizer q = bench.quantizer("i8");
    const Graph exact = q.exact(), quantized = q.with_rules({});
    const Probe probe = make_probe(exact, quantized);
    const Measurement one = measure(probe, *bench.source, 1, [] {}), four = measure(probe, *bench.source, 4, [] {});
    BOOST_REQUIRE(one.values.size() == four.values.size());
    for (size_t v = 0; v < one.values.size(); ++v) {
        BOOST_TEST(one.values[v].noise == four.values[v].noise);
        BOOST_TEST(one.values[v].weights == four.values[v].weights);
        BOOST_TEST(one.values[v].rounding == four.values[v].rounding);
    }
}

BOOST_AUTO_TEST_CASE(noise_that_comes_by_two_ways_is_divided_by_what_each_brings) {
    Graph g = chain(2);
    const ValueId sum = g.add_value("sum", {});
    g.add_node(find_op("Add"), "add", {g.find("r0"), g.find("r1")}, {sum});
    g.outputs = {sum};
    infer_types(g);
    change(g, "b0", [](std::vector<float>& b) { b[2] = 100; });  // r0 is coarse, r1 is not
    change(g, "w1", [](std::vector<float>& w) {
        for (size_t i = 0; i < 8; ++i) w[i * 8 + 2] = 0;
        for (float& item : w) item *= 0.01f;
    });
    Bench bench(std::move(g));
    const CheckReport report = bench.report("i8", 1);
    const auto add = std::ranges::find_if(report.rows, [](const Sensitivity& row) { return row.name == "add"; });
    const auto conv = std::ranges::find_if(report.rows, [](const Sensitivity& row) { return row.name == "conv0"; });
    BOOST_TEST(add->share() + conv->share() > 0.99);
    BOOST_TEST(std::abs(report.checked.at(0).alone_db - report.rows.at(0).alone_db) < 1.5);
}

// Bisection over the depth, as ONE's mpqsolver does it: how many of the first layers must be of 16 bits.
BOOST_AUTO_TEST_CASE(a_budget_takes_fewer_evaluations_than_bisection) {
    constexpr size_t depth = 24;
    Graph g = chain(depth);
    change(g, "b11", [](std::vector<float>& b) { b[5] = 300; });
    change(g, "w12", [](std::vector<float>& w) {
        for (size_t i = 0; i < 8; ++i) w[i * 8 + 5] = 0.001f;
    });
    const ValueId flat = g.add_value("flat", {}), turned = g.add_value("turned", {});  // where no channels are found: the figure is of all
    g.add_node(find_op("Flatten"), "flatten", {g.outputs[0]}, {flat});
    g.add_node(find_op("Transpose"), "turn", {flat}, {turned}, {{"perm", std::vector<int64_t>{1, 0}}});
    g.outputs = {turned};
    infer_types(g);
    Bench bench(std::move(g), 3);
    const double before = bench.report("i8").models.at(0).evaluation.worst_db(),
                 all = bench.report("w8a16").models.at(0).evaluation.worst_db();
    const Goal goal{.min_sqnr_db = before + (all - before) / 2, .max_drop_points = {}, .min_agreement = {}};
    const BudgetOutcome outcome = budget(bench, "i8", goal);

    const Quantizer quantizer = bench.quantizer("i8");
    const Graph exact = quantizer.exact();
    Evaluator evaluator(exact, *bench.source, {});
    const Scheme &coarse = scheme_named("i8"), &fine = scheme_named("w8a16");
    const auto holds = [&](size_t first) {
        std::map<std::string, Rule> nodes;
        for (size_t i = 0; i < first; ++i)
            for (const std::string kind : {"conv", "relu"}) nodes[kind + std::to_string(i)] = {.scheme = &fine, .method = nullptr};
        if (first == depth) nodes["flatten"] = nodes["turn"] = {.scheme = &fine, .method = nullptr};
        return goal.is_met(evaluator.evaluate(quantizer.with_rules({.nodes = nodes})));
    };
    BOOST_TEST(!holds(0));
    BOOST_REQUIRE(holds(depth));
    size_t fails = 0, enough = depth;
    while (enough - fails > 1) (holds((fails + enough) / 2) ? enough : fails) = (fails + enough) / 2;

    std::vector<const Scheme*> ours(depth, &coarse), theirs(depth, &coarse);
    for (const Change& change : outcome.changes) ours.at(std::stoul(change.name.substr(4))) = change.type;
    std::fill_n(theirs.begin(), enough, &fine);
    BOOST_TEST(outcome.met);
    BOOST_TEST_MESSAGE("budget: " << outcome.evaluations << " evaluations and " << outcome.passes << " instrumented runs, "
                                  << outcome.changes.size() << " units changed; bisection: " << evaluator.count() << " evaluations, "
                                  << enough << " layers changed");
    BOOST_TEST(outcome.evaluations < evaluator.count());
    BOOST_TEST(outcome.evaluations + outcome.passes <= evaluator.count());
    BOOST_TEST(bit_operations(ours) < bit_operations(theirs));
}

BOOST_AUTO_TEST_CASE(coverage_counts_weights_and_multiply_accumulates) {
    Bench bench(chain(2));
    const Quantizer q = bench.quantizer("i8");
    const Coverage all = coverage_of(q.with_rules({})), none = coverage_of(bench.model.graph),
                   half = coverage_of(q.with_rules({.nodes = {{"conv0", {}}, {"relu0", {}}}}));
    BOOST_TEST(none.quantized_operators == 0);
    BOOST_TEST(none.quantized_bytes == 0);
    BOOST_TEST(all.operators == 4);
    BOOST_TEST(all.quantized_operators == 4);
    BOOST_TEST(all.weight_bytes == 2 * 4 * (64 + 8));
    BOOST_TEST(all.quantized_bytes == all.weight_bytes);
    BOOST_TEST(half.quantized_operators == 2);
    BOOST_TEST(half.quantized_bytes == all.weight_bytes / 2);
    BOOST_TEST(half.quantized_macs == half.macs / 2);
    BOOST_TEST(coverage_text(half).starts_with("2 of 4 operators, 50.0 % of the weights"));
}

// An If whose branch has the convolution with the outlier; the other branch hands its input on.
BOOST_AUTO_TEST_CASE(what_a_body_loses_is_its_nodes) {
    Graph g = graph_of(R"(func.func @main(%x: tensor<1x4x6x6xf32>, %yes: tensor<i1>, %w: tensor<*xf32>) -> tensor<*xf32> {
  %a = "onnx.Relu"(%x) {onnx_node_name = "first"} : (tensor<1x4x6x6xf32>) -> tensor<*xf32>
  %b = "onnx.If"(%yes) ({
    %c = "onnx.Conv"(%a, %w) {onnx_node_name = "inner"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    onnx.Yield %c : tensor<*xf32>
  }, {
    %d = "onnx.Abs"(%a) {onnx_node_name = "other"} : (tensor<*xf32>) -> tensor<*xf32>
    onnx.Yield %d : tensor<*xf32>
  }) {onnx_node_name = "choice"} : (tensor<i1>) -> tensor<*xf32>
  %y = "onnx.Abs"(%b) {onnx_node_name = "last"} : (tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
})",
                       {{"w", random_weights({4, 4, 1, 1}, 3, 0.5f)}});
    Bench bench(std::move(g), 4);
    const CheckReport report = bench.report("i8", 4);
    const auto row = std::ranges::find_if(report.rows, [](const Sensitivity& r) { return r.name == "choice"; });
    BOOST_REQUIRE(row != report.rows.end());
    const auto place = static_cast<size_t>(row - report.rows.begin());
    BOOST_TEST(report.causes.at(place) == "weights and activations inside");
    BOOST_TEST(std::abs(report.checked.at(place).alone_db - row->alone_db) < 1.5);
    BOOST_TEST(std::abs(report.checked.at(place).without_db - row->without_db) < 1.5);
}

BOOST_AUTO_TEST_CASE(rows_of_scores_are_compared_one_by_one) {
    Bench bench(chain(2), 2);
    const Graph exact = bench.quantizer("i8").exact();
    Evaluator whole(exact, *bench.source, {}), rows(exact, *bench.source, {.labels = nullptr, .scored = {}, .each_row = true});
    BOOST_TEST(whole.evaluate(exact).compared == 0);  // not [batch, classes]
    BOOST_TEST(rows.evaluate(exact).compared == 2 * 8 * 6);
    BOOST_TEST(rows.evaluate(exact).agreeing == 2 * 8 * 6);
}

BOOST_AUTO_TEST_CASE(models_that_do_not_belong_together_are_refused) {
    Bench bench(chain(2)), other(chain(2));
    Graph& graph = other.model.graph;
    graph.rename(graph.find("r1"), "elsewhere");
    const Graph exact = bench.quantizer("i8").exact();
    Evaluator evaluator(exact, *bench.source, {});
    BOOST_TEST(evaluator.evaluate(graph).outputs.at(0).difference.identical());  // outputs of other names go by their places
    BOOST_TEST(make_probe(exact, graph).values.back().output.value() == 0);
    graph.outputs.push_back(graph.find("r0"));
    const auto refused = [](const Error& error) {
        return error.exit() == Exit::bad_input && error.message().find("output \"elsewhere\" is not an output") != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION(evaluator.evaluate(graph), Error, refused);
    BOOST_CHECK_EXCEPTION(make_probe(exact, graph), Error, refused);
    BOOST_CHECK_THROW(Evaluator(exact, *bench.source, {.labels = nullptr, .scored = "nothing"}), Error);
}

BOOST_AUTO_TEST_SUITE_END()
