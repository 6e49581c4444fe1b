// place: which device runs which node of a model, and why.
#include <map>
#include <set>

#include "formats/format.h"
#include "formats/read.h"
#include "libcore/base/few.h"
#include "libcore/base/json.h"
#include "libcore/base/shortened.h"
#include "libcore/base/text.h"
#include "libcore/cli/named_files.h"
#include "libcore/cli/tool.h"
#include "libcore/deploy/ask_libraries.h"
#include "libcore/exec/meaning.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/op.h"
#include "libcore/passes/pass.h"
#include "libcore/place/assign.h"
#include "libcore/place/calibrate.h"
#include "libcore/place/legal.h"
#include "libcore/place/part_file.h"
#include "libcore/place/placement_file.h"
#include "libcore/place/report.h"
#include "libcore/place/support.h"
#include "libcore/place/target_file.h"
#include "libcore/quant/types/followed.h"
#include "tools/place/asked.h"

using namespace quern;
using namespace quern::place;

namespace {

class Place : public Tool {
    std::string model_ = "-", output_, format_, target_, load_, save_, explain_, report_, heuristic_, calibrate_;
    AskedModel question_;
    GivenOptions given_;
    int64_t batches_ = 0;
    bool list_targets_ = false, list_ops_ = false, list_checks_ = false, json_ = false, strict_ = false;

    std::string_view name() const override { return "place"; }
    std::string_view summary() const override { return "decide which device runs which node of a model"; }
    std::vector<std::string_view> examples() const override {
        return {"quern place relu_chain.mlir --target nnpa --save-placement cfg.json",
                "quern place digits.onnx --target two-npu --explain relu1_Relu"};
    }

    void options(Options& add) override {
        add.model(model_);
        add.output(output_, "-o,--output", "FILE", "where the model goes (default: standard output, native format)", FileRole::product);
        add.text(format_, "-f,--format", "FORMAT", "format of the output (default: by the suffix of FILE)");
        add.input(target_, "--target", "TARGET", "what to place on: a name of --list-targets, or a file ending in .json", target_files);
        add.shapes(question_.fixed);
        add.input(load_, "--load-placement", "FILE", "requested devices: device_placement or nnpa_ops_config (JSON), or ONE's .part");
        add.output(save_, "--save-placement", "FILE",
                   "write the device of every node; the model itself is then written only if -o asks for it");
        add.choice(heuristic_, "--heuristic", heuristic_names(),
                   "how nodes without a requested device are placed (default: min-cut; QualifyingOps where the target's compiler decides)");
        add.text(question_.as, "--as", "TYPE",
                 "place a float model as if it were quantized to TYPE (default: the target's type, else i8, where only cpu takes floats; "
                 "float: as it is)");
        add.text(explain_, "--explain", "NODE", "print on standard error why a node is placed where it is");
        add.output(report_, "--report", "FILE",
                   "devices, partitions, times and refusals as text; .json, .svg (a picture of the graph) and .html by the suffix of FILE");
        add.integer(batches_, "--batches", "N",
                    "report what N runs take, one behind the other: pipelined where the target's devices work at the same time", 1,
                    1'000'000'000);
        add.needs({"--batches"}, "--report");
        add.flag(
            strict_, "--strict",
            "fail if a device refuses a node that is requested for it, if a record of the placement file has no effect, or if a time of "
            "--calibrate is of no node");
        add.input(calibrate_, "--calibrate", "PROFILE.json",
                  "write the target with costs that fit these times of the model's nodes, of run --profile --json or a device's log, "
                  "instead of a model");
        add.given(given_);
        add.group("Lists");
        add.flag(list_targets_, "--list-targets", "print the targets and exit");
        add.flag(list_ops_, "--list-ops", "print what each device of the target runs, and exit");
        add.flag(list_checks_, "--list-checks", "print the keys of a target's file and the checks of its constraints, and exit");
        add.flag(json_, "--json", "print lists as JSON");
    }

    Exit list_targets() const {
        Json list = Json::array();
        for (const std::string& name : target_names()) {
            const Target target = load_target(name);
            if (!json_) print(fmt::format("{:<18}{} ({})\n", name, target.doc, join(device_names(target), ", ")));
            list.push_back({{"name", name}, {"doc", target.doc}, {"basis", target.basis}, {"devices", device_names(target)}});
        }
        if (json_) print(json_document(list));
        return Exit::ok;
    }

    static std::string without_end(std::string text) {
        while (text.ends_with('\n')) text.pop_back();  // notice() ends the line
        return text;
    }

    // An error with --strict, else a notice.
    void say(const std::string& summary, std::vector<std::string> lines) const {
        if (lines.empty()) return;
        if (strict_) throw Error(Exit::no, summary).with_details(std::move(lines));
        std::string message = summary;
        for (const std::string& line : verbosity() > 1 ? lines : few_of(lines)) message += "\n  " + printable(line);
        notice(message);
    }

    // What no device but cpu can run. What is bound to cpu is not asked about.
    static std::vector<Refused> staying(Graph& graph, const Target& target, const std::set<std::string>& bound) {
        std::vector<Refused> refused = refused_by_all(graph, target);
        std::erase_if(refused, [&](const Refused& item) { return bound.contains(item.key); });
        return refused;
    }

    static std::set<std::string> keys_of(const std::vector<Refused>& refused) {
        std::set<std::string> keys;
        for (const Refused& item : refused) keys.insert(item.key);
        return keys;
    }

    // A line for each node and reason, of devices that have the same. Names are cut, as the reason is what is read, and reasons that are
    // longer than a line, of which the list by cause has the whole.
    static std::vector<std::string> lines_of(const std::vector<Refused>& refused) {
        constexpr size_t longest_name = 40, longest_line = 156;
        std::vector<Refused> joined;
        for (const Refused& item : refused)
            if (!joined.empty() && joined.back().key == item.key && joined.back().reason == item.reason)
                joined.back().device += ", " + item.device;
            else
                joined.push_back(item);
        std::vector<std::string> lines;
        for (Refused& item : joined) {
            item.key = shortened(item.key, longest_name);
            const size_t rest = to_string(item).size() - item.reason.size();
            item.reason = shortened(item.reason, longest_line - std::min(rest, longest_line - longest_name));
            lines.push_back(printable(to_string(item)));
        }
        return lines;
    }

    // That, and the reasons where they are wanted.
    void say_what_stays(Graph& graph, const PlacementReport& report, const std::vector<Refused>& refused) const {
        const std::set<std::string> nodes = keys_of(refused);
        if (nodes.empty()) return;
        std::string message =
            fmt::format("{} of {} nodes run on cpu, as no other device can run them", nodes.size(), placed_nodes(graph).size());
        if (verbosity() <= 1) return notice(message + "; see -v for which and why");
        message += ":\n" + without_end(refusal_lines(report));
        for (const std::string& line : lines_of(refused)) message += "\n  " + line;
        notice(message);
    }

    // Those of them that give real numbers in a model that was quantized by others than the rules of the target's runtime.
    static void say_other_rules(Graph& graph, const Target& target, const std::vector<Refused>& refused, const Graph& model) {
        if (target.format.empty() && target.runtime.empty()) return;
        const std::string_view meant = target.runtime.empty() ? rules_of(destination_of(target.format)) : target.runtime;
        if (followed_rules(model) == meant || count_float_nodes(model) == 0) return;
        const std::set<std::string> keys = keys_of(refused);
        const std::vector<NodeRef> nodes = placed_nodes(graph);
        const auto gives_floats = [&](const NodeRef& ref) { return keys.contains(ref.key) && makes_floats(*ref.graph, ref.node()); };
        if (const auto count = std::ranges::count_if(nodes, gives_floats); count > 0)
            notice(
                fmt::format("of these in real numbers: {}; the model was not quantized by the rules of {}, the target's runtime, which "
                            "quantize --target {} follows",
                            count, meant, target.name));
    }

    Applied load(Graph& graph, const Target& target) const {
        if (load_.empty()) return {};
        const Bytes bytes = map_input(load_);
        return at_place(display_name(load_), [&] {
            const PlacementFile file =
                onert::is_part(bytes.text()) ? onert::parse_part(bytes.text(), target) : parse_placement(bytes.text(), target);
            Applied applied = apply_placement(graph, file);
            std::vector<std::string> remarks;
            for (const std::string& remark : file.remarks) remarks.push_back(fmt::format("{}: {}", display_name(load_), remark));
            notice_few(remarks);
            return applied;
        });
    }

    // Placement requests that could not be honoured, and why: refused by the device, or bound to another by their unit or body.
    static std::vector<std::string> unsatisfied(const Placement& placement, const std::map<std::string, std::string>& wishes,
                                                const std::vector<Refused>& refused) {
        std::vector<std::string> lines;
        lines.reserve(refused.size());
        for (const Refused& item : refused) lines.push_back(to_string(item));
        for (const Decision& decision : placement.decisions) {
            const auto wish = wishes.find(decision.key);
            if (wish == wishes.end() || wish->second == decision.device || !decision.refused.empty()) continue;
            std::string why = decision.rule;
            for (size_t i = 0; i < decision.choices.size(); ++i)
                if (placement.devices[i] == wish->second && !decision.choices[i].refusal.empty()) why = decision.choices[i].refusal;
            lines.push_back(fmt::format("node \"{}\" ({}) runs on {}, not on {}: {}", escape(decision.key), escape(decision.type),
                                        decision.device, wish->second, why));
        }
        return lines;
    }

    Placement place_all(Graph& graph, const Target& target, const Applied& applied) const {
        AssignOptions options;
        options.heuristic = find_heuristic(heuristic_);
        for (const auto& [key, source] : applied.sources) options.sources[key] = fmt::format("{}: {}", display_name(load_), source);
        std::map<std::string, std::string> wishes;
        for (const NodeRef& ref : placed_nodes(graph))
            if (!ref.node().device.empty()) wishes[ref.key] = ref.node().device;
        const std::vector<Refused> refused = settle_wishes(graph, target);
        for (const Refused& item : refused) options.refused[item.key] = fmt::format("{}: {}", item.device, item.reason);
        Placement placement = assign(graph, target, options);
        const std::vector<std::string> lines = unsatisfied(placement, wishes, refused);
        say(fmt::format("nodes that do not run on the requested device: {}", lines.size()), lines);
        return placement;
    }

    // Nodes that memory keeps from a device, and partitions that it splits.
    void say_what_does_not_fit(const PlacementReport& report) const {
        constexpr size_t lines_shown = 3;
        const auto& large = report.placement.too_large;
        const size_t shown = verbosity() > 1 ? large.size() : std::min(large.size(), lines_shown);
        for (size_t i = 0; i < shown; ++i) notice(large[i]);
        if (shown < large.size()) notice(fmt::format("and {} more nodes that do not fit; see -v", large.size() - shown));
        for (const MemorySplit& split : report.partitions.memory_splits) notice(to_string(split));
        say_stripes(report);
    }

    // Units that run in stripes: how many, with -v each.
    void say_stripes(const PlacementReport& report) const {
        size_t count = 0;
        for (const Partition& part : report.partitions.parts) {
            const PartitionMemory& memory = report.memory[static_cast<size_t>(part.id)];
            if (!memory.stripes) continue;
            ++count;
            if (verbosity() > 1)
                notice(fmt::format("partition {} (\"{}\") runs on {} {}: in one piece it {}", part.id,
                                   escape(report.graph.node(part.nodes.front()).name), part.device, to_string(*memory.stripes),
                                   memory.whole));
        }
        if (count > 0 && verbosity() <= 1)
            notice(fmt::format("{} partition{} in stripes, being too large for the memory of their devices; see -v", count,
                               count == 1 ? " runs" : "s run"));
    }

    Model read(const Target& target) {
        const Bytes bytes = map_model(model_);
        question_.in_form = !target.format.empty() && format_named(target.format).sniff(bytes);
        Model model = read_model(bytes, model_);
        at_place(display_name(model_), [&] {
            model.graph = as_encoded(std::move(model.graph));
            check_devices(model.graph, target);
        });
        return model;
    }

    // Of what is written for a compiler that takes no open dims.
    void fix_shapes(Graph& graph, const Target& target) const {
        at_place(display_name(model_), [&] {
            set_input_shapes(graph, question_.fixed.shapes);
            for (const std::string& line : make_static(graph, fmt::format("target {}", target.name))) notice(line);
        });
    }

    static std::set<std::string> bound_to_cpu(Graph& graph) {
        std::set<std::string> keys;
        for (const NodeRef& ref : placed_nodes(graph))
            if (ref.node().device == cpu_device) keys.insert(ref.key);
        return keys;
    }

    void write_report(const PlacementReport& report) const {
        const auto ends = [&](std::string_view suffix) { return report_.ends_with(suffix); };
        write_output(report_, ends(".json")   ? report_json(report)
                              : ends(".svg")  ? report_svg(report)
                              : ends(".html") ? report_html(report)
                                              : report_text(report));
    }

    void check_calibrated() const {
        static constexpr std::string_view about_devices[] = {"--format",    "--load-placement", "--save-placement",
                                                             "--heuristic", "--explain",        "--report"};
        given_.refuse(about_devices, "is not for --calibrate, which places nothing");
        if (!output_.empty() && output_ != "-" && !output_.ends_with(".json"))
            throw usage_error("-o {}: a target's name ends in .json", escape(output_));
    }

    // The target with costs that fit measured times, which are of the model as it is.
    Exit write_calibrated(const Target& target) {
        check_calibrated();
        if (question_.as.empty()) question_.as = "float";
        const Model model = read(target);
        AskedForm asked = at_place(display_name(model_), [&] { return AskedForm(model, target, question_); });
        const Bytes bytes = map_input(calibrate_);
        const Calibration made = at_place(display_name(calibrate_), [&] {
            std::vector<NodeTime> times = read_times(parse_json(bytes.text()));
            for (NodeTime& time : times)
                if (!target.format.empty()) time.node = asked.node_named(time.node);
            return calibrate(asked.graph(), target, times);
        });
        say(fmt::format("{}: times of no node: {}", display_name(calibrate_), made.unknown.size()), made.unknown);
        notice_few(made.unused);
        for (const std::string& device : made.simulated)
            notice(fmt::format("device {} has no back end: its times are those of the simulation on ref", device));
        if (made.fitted() == 0)
            throw Error(Exit::no, fmt::format("{}: no row of costs of {} has {} times", display_name(calibrate_), target.name, min_times));
        notice(to_text(made, target));
        Json document = target_document(target_);
        write_costs(document, made, target, display_name(model_));
        write_output(output_.empty() ? "-" : output_, json_document(document));
        return Exit::ok;
    }

    Exit run() override {
        if (list_targets_) return list_targets();
        const PageFormat page = json_ ? PageFormat::json : PageFormat::text;
        if (list_checks_) {
            print(keys_page(page));
            return Exit::ok;
        }
        if (json_ && !list_ops_) throw usage_error("--json is for lists");
        if (target_.empty()) throw usage_error("--target is missing").with_hint("--list-targets lists the targets");
        Target target = load_target(target_);
        if (list_ops_) {
            print(support_page(target, page));
            return Exit::ok;
        }
        if (!calibrate_.empty()) return write_calibrated(target);
        const bool writes = !output_.empty() || (save_.empty() && explain_.empty() && report_.empty());
        const std::string output = output_.empty() ? "-" : output_;
        static constexpr std::string_view reports[] = {".txt", ".json", ".svg", ".html"};
        check_suffix("--report", report_, reports);
        if (writes) check_output(output, format_, {});
        Model model = read(target);
        if (writes && target.static_shapes) fix_shapes(model.graph, target);
        const Applied applied = load(model.graph, target);
        say(fmt::format("{}: records without effect: {}", display_name(load_), applied.dead.size()), applied.dead);
        AskedForm asked = at_place(display_name(model_), [&] { return AskedForm(model, target, question_); });
        for (const std::string& failure : ask_libraries(target, asked.graph())) notice(failure);
        const std::set<std::string> bound = bound_to_cpu(asked.graph());
        const Placement placement = place_all(asked.graph(), target, applied);
        const PlacementReport report(asked.graph(), target, placement, static_cast<size_t>(batches_));
        const std::vector<Refused> refused = staying(asked.graph(), target, bound);
        say_what_stays(asked.graph(), report, refused);
        say_other_rules(asked.graph(), target, refused, model.graph);
        say_what_does_not_fit(report);
        if (!report_.empty()) write_report(report);
        model.graph.metadata[std::string(placed_on_key)] = target.name;
        asked.give_devices(model.graph);
        if (!explain_.empty()) notice(without_end(place::explain(placement, asked.node_named(explain_))));
        if (!save_.empty()) write_output(save_, write_placement(model.graph));
        if (writes) write_model(model, output, format_);
        return Exit::ok;
    }
};

}  // namespace

int main(int argc, char** argv) {
    Place tool;
    return tool_main(tool, argc, argv);
}
