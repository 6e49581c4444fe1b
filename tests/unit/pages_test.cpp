// Pages of runs and comparisons, and traces: whatever names there are, and bounded however much there is.
#include <boost/test/unit_test.hpp>

#include <cmath>

#include "libcore/base/json.h"
#include "libcore/report/forms.h"
#include "libcore/report/page.h"
#include "libcore/runs/compare.h"
#include "libcore/runs/run_report.h"

using namespace quern;

namespace {

const std::string hostile = "</title></script><script>\"&'\x01\xff";

size_t count(const std::string& text, std::string_view part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

void check_safe(const std::string& page) {
    BOOST_TEST(count(page, "<script>") == 1u);
    BOOST_TEST(count(page, "</script>") == 1u);
    BOOST_TEST(page.find('\x01') == std::string::npos);
    BOOST_TEST(page.find('\xff') == std::string::npos);
}

// One run of `steps` steps of a microsecond each.
RunReport long_run(size_t steps, const std::string& name) {
    RunReport report{.model = name, .mode = "float"};
    report.times.execute.runs = 1;
    LaneLog lane;
    for (size_t i = 0; i < steps; ++i) {
        const StepTime step{.node = name + std::to_string(i), .op = name, .kernel = name, .seconds = 1e-6, .calls = 1};
        report.times.steps.push_back(step);
        lane.steps.lines.push_back(step);
        lane.steps.events.push_back({i, 1e-6 * static_cast<double>(i), 1e-6 * static_cast<double>(i + 1), 100, 200});
    }
    lane.runs.push_back({0, 0, 1e-6 * static_cast<double>(steps)});
    report.times.lanes.push_back(std::move(lane));
    return report;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pages)

BOOST_AUTO_TEST_CASE(texts_are_filled_from_json) {
    const Json item{{"name", "<b>"},
                    {"db", 31.25},
                    {"equal", INFINITY},
                    {"unknown", NAN},
                    {"none", ""},
                    {"zero", 0},
                    {"bytes", 2048},
                    {"list", {"a", "b", "c"}},
                    {"inner", {{"part", 0.125}, {"of", 0.5}}}};
    const Json document{{"item", item}, {"colours", {{"<b>", 2}}}};
    const Scope scope{document, document.at("item"), 7};
    const std::vector<std::pair<std::string, std::string>> texts{
        {"{name} {#}", "&lt;b&gt; 7"},
        {"{name:code}[ of {missing}][, {unknown}][ {none}]", "<code>&lt;b&gt;</code>"},
        {"[{zero:if}nothing][{zero}]", "0"},
        {"{db:.1f dB}, {equal:.1f dB}, {equal:exact dB}", "31.2 dB, equal, exact"},
        {"{list:words} {list:codes 1} {list:count} item{list:s}, {list/2}", "a, b, c <code>a</code> and 2 more 3 items, c"},
        {"{inner/part:of inner/of} {inner/part:share} {bytes:bytes}", "25.0 % 12.5 % 2.0 KB"},
        {"{bytes:change db}", ": 65.5 times more"},
        {"[{missing:no}not known][{name:no}never]", "not known"},
        {"{/item/bytes} [a[b{missing}]c]", "2048 ac"},
    };
    for (const auto& [text, want] : texts) BOOST_TEST(filled_or_empty(text, scope) == want);
    BOOST_TEST(!filled("{name} {missing}", scope));
    BOOST_TEST(filled_or_empty("{name:chip}", scope).find("&lt;b&gt;</span>") != std::string::npos);
    BOOST_CHECK_THROW(filled("{name:nosuch}", scope), std::logic_error);
}

BOOST_AUTO_TEST_CASE(a_table_is_sorted_bounded_and_has_the_columns_that_say_something) {
    Json rows = Json::array();
    for (int i = 0; i < 30; ++i) rows.push_back({{"name", "n" + std::to_string(i)}, {"db", i == 3 ? NAN : 30 - i}, {"why", "reason"}});
    const Page page{.title = "of {rows:count}",
                    .panels = {{.title = "Empty", .from = "missing"},
                               {.title = "Rows",
                                .from = "rows",
                                .columns = {{"{/bad}", "{name:code}", Column::Is::words, "n", "[{why}]"},
                                            {"never", "{missing}"},
                                            {"{/bad}", "{db:.0f}", Column::Is::number, "db"},
                                            {"why", "{why}", Column::Is::why}},
                                .order = "db",
                                .search = "search",
                                .listed = 10,
                                .opens = 2,
                                .others = "--json"}}};
    const std::string text = html_page(page, {{"rows", rows}, {"bad", "\"}</style><script>"}});
    check_safe(text);
    BOOST_TEST(text.find("<h1>of 30</h1>") != std::string::npos);
    BOOST_TEST(text.find("Empty") == std::string::npos);
    BOOST_TEST(text.find("never") == std::string::npos);
    BOOST_TEST(text.find("These are the first 10 of 30; <code>--json</code> has all") != std::string::npos);
    BOOST_TEST(count(text, "<tr data-db=") == 10u);
    BOOST_TEST(count(text, "<details>") == 2u);
    BOOST_TEST(text.find("<code>n29</code>") < text.find("<code>n28</code>"));
    BOOST_TEST(count(text, "<td class=\"why\">") == 10u);
    BOOST_TEST(text.find("td.why{order:-1}") != std::string::npos);
    BOOST_TEST(text.find("td:nth-child(3)::before{content:\"why\"}") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_cannot_break_a_profile_or_a_trace) {
    const RunReport report = long_run(3, hostile);
    check_safe(profile_html(report));
    const Json trace = parse_json(trace_json(report));
    BOOST_TEST(trace.at("traceEvents").size() == 1 + 3 + 4 + 1u);  // process, counters, run and steps, thread
}

BOOST_AUTO_TEST_CASE(a_profile_of_many_nodes_is_bounded) {
    const std::string page = profile_html(long_run(20'000, "node"));
    BOOST_TEST(count(page, "<tr data-seconds=") == 4000u);
    BOOST_TEST(page.find("the first 4000 of 20000") != std::string::npos);
    BOOST_TEST(page.size() < 2'000'000u);
    BOOST_TEST(profile_html({}).find("</html>") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_overlaps_lies_on_threads_of_its_own) {
    RunReport report = long_run(2, "node");
    report.times.lanes[0].steps.events = {{0, 0, 1.5e-6, 0, 0}, {1, 1e-6, 2e-6, 0, 0}};
    const Json trace = parse_json(trace_json(report));
    std::vector<int> threads;
    for (const Json& event : trace.at("traceEvents"))
        if (event.at("ph") == "X" && event.at("cat") != "run") threads.push_back(event.at("tid").get<int>());
    BOOST_REQUIRE(threads.size() == 2u);
    BOOST_TEST(threads[0] != threads[1]);
}

BOOST_AUTO_TEST_CASE(names_cannot_break_a_comparison) {
    Comparison comparison;
    ComparedValue value{hostile, true, {}};
    value.difference.add(Tensor::scalar(1.0f), Tensor::scalar(1.5f));
    comparison.values.push_back(value);
    value.difference.mismatch = hostile;
    comparison.values.push_back(value);
    comparison.only_first = {hostile};
    const std::string page = comparison_html(comparison, 30, false, hostile, hostile);
    check_safe(page);
    BOOST_TEST(page.find("1 of 1 elements differ, by at most 0.5;") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_comparison_of_many_values_is_bounded) {
    Comparison comparison;
    for (size_t i = 0; i < 20'000; ++i) {
        comparison.values.push_back({"value" + std::to_string(i), false, {}});
        comparison.values.back().difference.add(Tensor::scalar(1.0f), Tensor::scalar(i % 2 ? 1.25f : 1.0f));
    }
    const std::string page = comparison_html(comparison, -1e9, false, "a", "b");
    BOOST_TEST(count(page, "<tr data-sqnr=") == 4000u);
    BOOST_TEST(page.find("10000 of 20000</b>values equal") != std::string::npos);
    BOOST_TEST(page.size() < 4'000'000u);
}

BOOST_AUTO_TEST_CASE(errors_are_counted_by_their_power_of_two) {
    Difference d;
    d.add(Tensor::scalar(1.0f), Tensor::scalar(1.5f));
    d.add(Tensor::scalar(1.0f), Tensor::scalar(1.75f));
    d.add(Tensor::scalar(1.0f), Tensor::scalar(-2.0f));
    d.add(Tensor::scalar(1.0f), Tensor::scalar(1.0f));
    BOOST_TEST(d.errors[Difference::error_bias - 1] == 2u);
    BOOST_TEST(d.errors[Difference::error_bias + 1] == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
