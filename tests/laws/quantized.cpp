// Laws of quantized models: what is quantized here is read back from every format as the same model. From native files and QDQ it is the
// same graph, node by node, so that codes, comparisons, placements and generated code are the same; from QOperator files every encoded
// value is the same (Relu and Clip that codes say by their ends are gone). Where a format has no word for something - ONNX for
// channels-last operators and names that bodies have for captures, TFLite and Circle for most - the codes of the outputs are the same, by
// the same arithmetic. For TFLite and Circle models are quantized by the rules of those, as writers recode what kernels fix or tie. Models
// are run where that takes little.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include <unistd.h>

#include "formats/onnx/for_onnxruntime.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/exec/arithmetic.h"
#include "libcore/exec/meaning.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/passes/passes.h"
#include "libcore/place/target.h"
#include "libcore/place/target_file.h"
#include "libcore/quant/collect/collect.h"
#include "libcore/quantize/quantize_model.h"
#include "libcore/support/units.h"
#include "tests/laws/common.h"
#include "tests/laws/placed.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(quantized)

namespace {

constexpr double max_macs = 8e6;  // of models that are run in integers

struct Way {
    std::string_view name, format, form;
    int opset;
    bool same_graph, same_values;
};
// Below opset 18 reductions have their axes as an attribute, without a name.
constexpr Way ways[] = {{"native", "native", "", 0, true, true},
                        {"QDQ", "onnx", "qdq", 21, true, true},
                        {"QDQ at its lowest opset", "onnx", "qdq", 0, false, true},
                        {"QOperator", "onnx", "qoperator", 0, false, true},
                        {"TFLite", "tflite", "", 0, false, false},
                        {"Circle", "circle", "", 0, false, false}};

constexpr Way tflite_way = ways[4], circle_way = ways[5];

struct Counts {
    size_t units = 0;
    std::map<std::string_view, size_t> read, ran, placed;
};

// The lines of the text form in any order, without what only the quantizer notes, and what ONNX's names and trailing operands do not tell.
std::vector<std::string> lines_of(const Graph& graph) {
    static const std::regex noted(",? ?quern\\.(scope = \"[^\"]*\")"), absent("(, %?none)+\\)");
    std::vector<std::string> lines;
    for (std::string& line : split(laws::text_of(graph), '\n')) {  // no search with std::regex through constants
        if (line.find("quern.") != line.npos) line = std::regex_replace(line, noted, "");
        if (line.find("none)") != line.npos) line = std::regex_replace(line, absent, ")");
        lines.push_back(std::move(line));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::string first_difference(const std::vector<std::string>& want, const std::vector<std::string>& got) {
    std::vector<std::string> missing, more;
    std::set_difference(want.begin(), want.end(), got.begin(), got.end(), std::back_inserter(missing));
    std::set_difference(got.begin(), got.end(), want.begin(), want.end(), std::back_inserter(more));
    if (missing.empty() && more.empty()) return {};
    const std::string a = missing.empty() ? "nothing" : missing[0], b = more.empty() ? "nothing" : more[0];
    const auto at = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    const auto part = [&](const std::string& line) {
        return at < 200 ? line.substr(0, 400) : line.substr(0, 60) + " ... " + line.substr(at - 100, 300);
    };
    return fmt::format("\n  want {}\n  got  {}", part(a), part(b));
}

// Not by name: exports rename what is read in several forms.
std::vector<std::string> encodings_of(const Graph& graph) {
    std::vector<std::string> values;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (size_t i = 0; i < part.value_count(); ++i)
            if (const Value& value = part.value(static_cast<ValueId>(i)); !value.erased && value.enc)
                values.push_back(path + to_string(*value.enc));
    });
    std::sort(values.begin(), values.end());
    return values;
}

std::vector<Stored> codes_of(const Graph& graph, std::span<const Tensor> inputs, std::string_view profile) {
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.mode = Mode::integer, .profile = &need_profile(profile)}), pool);
    std::vector<Stored> given;
    for (const Tensor& input : inputs) given.push_back({input, {}});
    return session.run_stored(given);
}

// Outputs that stay float may be summed in the order of another layout. `ties`: so may numbers that become codes again, of which one that
// lies between two codes may take the other.
// How near the codes of two files must be.
enum class Near : uint8_t { equal, steps, ties };

// A number at a tie is a step off, and what multiplies it some more.
bool within_steps(const Tensor& a, const Tensor& b) {
    return std::ranges::equal(to_ints(a), to_ints(b), [](int64_t x, int64_t y) { return std::abs(x - y) <= 4; });
}

bool same_codes(const std::vector<Stored>& a, const std::vector<Stored>& b, Near near) {
    return std::ranges::equal(a, b, [near](const Stored& x, const Stored& y) {
        const bool codes = x.encoding.has_value() && y.encoding.has_value(), ties = near == Near::ties;
        if (codes && near == Near::equal) return identical(x.tensor, y.tensor);
        if (codes && near == Near::steps) return within_steps(x.tensor, y.tensor);
        return laws::difference(x.tensor, y.tensor) <= (ties ? 0.02 : near == Near::steps ? 1e-5 : 1e-6);
    });
}

// Is a normalization computed on real numbers? The writer of TFLite and Circle joins its parts, and spells them out again in its own way.
bool normalizes_numbers(Graph graph) {
    run_passes(graph, std::array{&fuse_layernorm, &fuse_rmsnorm});
    return std::ranges::any_of(graph.order(), [&](NodeId id) {
        const Node& node = graph.node(id);
        return node.is(ops::LayerNormalization, ops::RMSNormalization, ops::InstanceNormalization, ops::GroupNormalization);
    });
}

// Is a recurrent layer computed on real numbers? TFLite and Circle files have its steps as products, whose sums are rounded elsewhere.
bool has_recurrent(const Graph& graph) {
    return std::ranges::any_of(graph.order(), [&](NodeId id) { return graph.node(id).is(ops::LSTM, ops::GRU, ops::RNN); });
}

// Has ONNX words for all of it?
bool is_plain_onnx(const Graph& graph) {
    return std::ranges::none_of(graph.order(), [&](NodeId id) {
        const Node& node = graph.node(id);
        return !node.bodies.empty() || NodeView(node).has("layout") || (node.op->domain == "quern" && node.op->name != "Recode");
    });
}

bool is_small(const Graph& graph) {
    const auto macs = summarize(graph).macs;
    return macs && *macs <= max_macs;
}

// How often each operator stands in it.
std::map<const Op*, size_t> operators_of(const Graph& graph) {
    std::map<const Op*, size_t> counts;
    const Graph folded = as_encoded(graph);
    for (const NodeId id : folded.order()) ++counts[folded.node(id).op];
    return counts;
}

// Of QOperator files bounds that codes say by their ends are gone, and those are found that the codes say and the graph did not.
size_t bounds_of(const Graph& graph) {
    const Graph folded = as_encoded(graph);
    return static_cast<size_t>(std::ranges::count_if(folded.order(), [&](NodeId id) {
        const std::string_view op = folded.node(id).op->name;
        return op == "Relu" || op == "Clip";
    }));
}

struct Observed {
    std::vector<Tensor> inputs;
    Ranges ranges;
};

// Nothing where random numbers give no ranges.
std::optional<Observed> observed(const Model& model) {
    Observed found{laws::random_inputs(model.graph), {}};
    const auto recorder = make_recorder(model.graph, model.lineage.text(), {});
    try {
        recorder->run(found.inputs);
    } catch (const Error& error) {
        BOOST_TEST_MESSAGE(error.what());
        return std::nullopt;
    }
    found.ranges = recorder->ranges(true);
    return found;
}

// Did the writer put operators on real numbers, for whose codes the format's runtime has no kernel? These have other codes then.
bool on_reals = false;
void hear(std::string_view notice) { on_reals = on_reals || notice.find("between DEQUANTIZE and QUANTIZE") != notice.npos; }

class Sweep {
   public:
    Sweep() {
        std::filesystem::create_directory(folder_);
        set_notice_sink(hear);
    }
    ~Sweep() {
        set_notice_sink(nullptr);
        std::filesystem::remove_all(folder_);
    }

    // Quantized for files of `format`, whose ways it goes.
    void model(const std::string& path, const Model& source, const Observed& observed, std::string_view type, std::string_view format) {
        Model model = quantized(source, observed.ranges, type, format);
        if (format == "onnx") model.graph.metadata.erase(profile_key);  // as ONNX files leave out where a net came from
        const auto& inputs = observed.inputs;
        const Graph want = as_encoded(model.graph);
        const std::string_view profile = format == "onnx" ? "onnx" : "tflite";
        const bool runs = own_mode(want) == Mode::integer && is_small(want), plain = is_plain_onnx(want);
        check_units(want, need_profile(profile), fmt::format("{} of {}", type, path));
        const auto codes = runs ? codes_of(want, inputs, profile) : std::vector<Stored>();
        for (const Way& way : ways) {
            if (way.format != format && !(way.format == "native" && format == "onnx")) continue;
            const std::string place = fmt::format("{} of {} by {}", type, path, way.name);
            on_reals = false;
            const auto back = written(model, way);
            if (!back) continue;
            const bool other = way.format == "circle" && on_reals;
            ++counts.read[way.name];
            check(way, plain || way.format == "native", plain && way.format == "onnx" ? with_pads(want) : want, as_encoded(back->graph),
                  place);
            if (!other) check_placement(way, plain || way.format == "native", model, *back, place);
            if (!runs || other) continue;
            ++counts.ran[way.name];
            const bool lowered = format != "onnx";
            const Near near = lowered && normalizes_numbers(want) ? Near::ties : lowered && has_recurrent(want) ? Near::steps : Near::equal;
            BOOST_TEST(same_codes(codes, codes_of(back->graph, inputs, profile), near), place << ": the codes of the outputs differ");
        }
    }

    Counts counts;

   private:
    static Model quantized(Model model, const Ranges& ranges, std::string_view type, std::string_view format) {
        ThreadPool pool(1);
        quantize_model(model, &ranges, {.scheme = &scheme_named(type), .destination = destination_of(format)}, pool);
        return model;
    }

    // What an integer step joins is the unit that placement, writers and back ends see. A MatMul and the Add of its bias are two steps in
    // ONNX's arithmetic: sums of codes made real, to which the bias is added.
    void check_units(Graph graph, const Profile& profile, const std::string& place) {
        graph.metadata[profile_key] = profile.name;
        const support::Units units = support::units_of(graph);
        for (const auto& members : units.members) {
            std::vector<const Node*> unit;
            for (const NodeId id : members) unit.push_back(&graph.node(id));
            const StepDecision decided = decide_arithmetic(graph, *unit[0], &profile);
            if (!decided.eval || (unit.size() > 1 && unit[1]->is(ops::Add))) continue;
            BOOST_TEST((decided.nodes == unit), place << ": another unit from \"" << unit[0]->name << "\" on");
            counts.units += unit.size() > 1;
        }
    }

    // As ONNX files say auto_pad.
    static Graph with_pads(Graph graph) {
        onnx_format::spell_pads(graph);
        return graph;
    }

    // Nothing if the format cannot say it.
    std::optional<Model> written(const Model& model, const Way& way) const {
        const std::string path = (folder_ / fmt::format("model.{}", way.format)).string();
        try {
            write_model(model, path, way.format, {.opset = way.opset, .quant_form = std::string(way.form)});
        } catch (const Error& error) {
            BOOST_TEST((error.exit() == Exit::unsupported && way.format != "native"), way.name << ": " << error.what());
            return std::nullopt;
        }
        return read_model(path);
    }

    static void check(const Way& way, bool plain, const Graph& want, const Graph& got, const std::string& place) {
        BOOST_TEST((own_mode(got) == own_mode(want)), place << ": runs in another mode");
        if (plain && way.same_graph) {
            const std::string difference = first_difference(lines_of(want), lines_of(got));
            BOOST_TEST(difference.empty(), place << ": another graph" << difference);
        } else if (plain && way.same_values) {
            const std::string difference = first_difference(encodings_of(want), encodings_of(got));
            BOOST_TEST(difference.empty(), place << ": other encodings" << difference);
        }
    }

    // TFLite and Circle files are lowered: on targets that take any file they are placed as their twins in the other format, if that is the
    // same graph (where the other runtime has other kernels an operator may be spelled out), and Circle files reach no others of those
    // here.
    void check_placement(const Way& way, bool plain, const Model& model, const Model& back, const std::string& place) {
        if (way.format == "onnx" && !plain) return;  // another graph, with the layout of ONNX
        if (way.form == "qoperator" && bounds_of(model.graph) != bounds_of(back.graph)) return;
        const bool lowered = way.format == "tflite" || way.format == "circle";
        for (const std::string_view target : laws::placed_on) {
            const bool any_file = place::load_target(target).format.empty();
            if (way.format == "circle" && !any_file) continue;
            std::optional<Model> twin;
            if (lowered && any_file) {
                on_reals = false;
                twin = written(back, way.format == "tflite" ? circle_way : tflite_way);
                if (!twin || on_reals || operators_of(twin->graph) != operators_of(back.graph)) continue;
            }
            ++counts.placed[way.name];
            const laws::Placed want = laws::placed(twin ? *twin : model, target, false);
            const laws::Placed got = laws::placed(back, target, lowered && !any_file);
            const std::string difference = laws::difference(want, got);
            BOOST_TEST(difference.empty(), place << " on " << target << ": " << difference);
            if (way.same_graph)
                BOOST_TEST(std::abs(want.seconds - got.seconds) <= 1e-4 * want.seconds,
                           place << " on " << target << ": takes " << got.seconds << " s, was " << want.seconds);
        }
    }

    std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("quern-quantized-" + std::to_string(::getpid()));
};

}  // namespace

BOOST_AUTO_TEST_CASE(readers_agree) {
    Sweep sweep;
    for (const std::string& path : laws::model_paths()) {
        const Model model = read_model(path);
        if (is_quantized(model.graph)) continue;
        std::optional<Observed> seen;
        try {
            seen = observed(model);
        } catch (const Error& error) {
            BOOST_TEST_ERROR(path << ": " << error.what());
        }
        if (!seen) continue;
        for (const std::string_view type : {"i8", "w8a16"})
            for (const std::string_view format : {"onnx", "tflite", "circle"}) {
                try {
                    sweep.model(path, model, *seen, type, format);
                } catch (const Error& error) {
                    BOOST_TEST_ERROR(type << " of " << path << " for " << format << ": " << error.what());
                }
            }
    }
    BOOST_TEST(sweep.counts.units > 100u);
    for (const Way& way : ways) {
        BOOST_TEST_MESSAGE(way.name << ": " << sweep.counts.read[way.name] << " read back, " << sweep.counts.placed[way.name] << " placed, "
                                    << sweep.counts.ran[way.name] << " ran");
        BOOST_TEST(sweep.counts.placed[way.name] > 20, "few models were placed by " << way.name);
        BOOST_TEST(sweep.counts.ran[way.name] > 0, "no model went by " << way.name);
    }
}

BOOST_AUTO_TEST_SUITE_END()
