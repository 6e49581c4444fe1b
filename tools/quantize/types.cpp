#include "tools/quantize/types.h"

#include <algorithm>

#include "formats/gguf/file/requantize.h"
#include "libcore/base/text.h"
#include "libcore/cli/named_files.h"
#include "libcore/graph/op.h"
#include "libcore/quant/types/spellings.h"
#include "libcore/quantize/type_choice.h"

namespace quern {
namespace {

constexpr std::string_view dynamic_type = "dynamic-nnpa";

// "asymActivation,symWeight", or "auto".
SchemeChanges changes_of(const std::string& text) {
    SchemeChanges changes;
    static constexpr struct {
        std::string_view word;
        std::optional<bool> SchemeChanges::*setting;
        bool value;
    } words[] = {{"symActivation", &SchemeChanges::act_sym, true},
                 {"asymActivation", &SchemeChanges::act_sym, false},
                 {"symWeight", &SchemeChanges::weight_sym, true},
                 {"asymWeight", &SchemeChanges::weight_sym, false}};
    if (text == "auto") return changes;
    for (const std::string& part : split(text, ',')) {
        const auto* const row = std::ranges::find(words, part, [](const auto& entry) { return entry.word; });
        if (row == std::end(words)) {
            std::vector<std::string> names;
            for (const auto& entry : words) names.emplace_back(entry.word);
            throw usage_error("--dynamic: unknown \"{}\"{}", escape(part), did_you_mean(part, names))
                .with_hint("one of " + join(names, ", "));
        }
        if ((changes.*row->setting).value_or(row->value) != row->value)
            throw usage_error("--dynamic: \"{}\" contradicts itself", escape(text));
        changes.*row->setting = row->value;
    }
    return changes;
}

void check_op_type(const std::string& op) {
    if (op == "MatMul" || op == "Gemm") return;
    if (find_op(op))
        throw usage_error("--op-types: {} has no form that is quantized at run time for NNPA", op).with_hint("MatMul and Gemm have");
    std::vector<std::string> names{"MatMul", "Gemm"};
    throw usage_error("--op-types: there is no operator \"{}\"{}", escape(op), did_you_mean(op, names)).with_hint("one of MatMul, Gemm");
}

// Our schemes, and ggml's types for GGUF files; some names are both, and the output tells which is meant.
std::vector<std::string_view> type_names() {
    std::vector<std::string_view> names = scheme_names();
    for (const gguf::Mix& mix : gguf::mixes())
        if (!is_scheme_name(mix.name)) names.push_back(mix.name);
    for (const Spelling& row : all_spellings()) names.push_back(row.name);
    return names;
}

}  // namespace

void TypeFlags::add(Options& add) {
    static const auto types = type_names();
    add.group("Types");
    add.choice(name_, "--type", types, "number formats (see --list-types; default: i8)");
    add.input(target_, "--target", "TARGET",
              "take the type and the rules of this target's runtime: a name of place --list-targets, or a file", target_files);
    static constexpr std::string_view runtimes[] = {"qnn"};
    add.choice(runtime_, "--runtime", runtimes, "whose rules encodings follow (default: the target's, else by the output's format)");
    add.integer(given_.act_bits, "--act-bits", "N", "bits of activations: 8 or 16 (default: as the type says)", 8, 16);
    add.integer(given_.weight_bits, "--weight-bits", "N", "bits of weights: 2, 4, 8 or 16 (default: as the type says)", 2, 16);
    add.integer(given_.bias_bits, "--bias-bits", "N",
                "bits of biases beside quantized products: 8, with a scale of its own, or 32 (default: 32)", 8, 32);
    add.integer(given_.float_bits, "--float-bits", "N", "bits of constants that stay floats: 16 or 32 (default: 32)", 16, 32);
    static constexpr std::string_view answers[] = {"yes", "no"};
    add.choice(act_sym_, "--act-sym", answers, "symmetric activations? (default: of int16 yes, else no, or as the type says)");
    add.choice(weight_sym_, "--weight-sym", answers, "symmetric weights? (default: as the type says)");
    add.flag(per_channel_, "--per-channel", "a scale for each output channel of a weight (default: as the type says)");
    add.flag(per_row_, "--per-row", "a scale for each output channel of a weight of MatMul and Gemm, one for each other weight");
    add.flag(per_tensor_, "--per-tensor", "one scale for each weight");
    add.integer(given_.block, "--block", "N",
                "a scale for each N weights along the input channels (default: of types in blocks 32; for TFLite none)", 1, 1 << 30);
    add.flag(two_level_, "--two-level", "scales of blocks are 4-bit integers times a float scale of the channel (LPBQ)");
    add.flag(dynamic_, "--dynamic", "WORDS", "auto",
             "quantize inputs of products at run time, for IBM's NNPA: asymActivation or symActivation, symWeight or asymWeight, "
             "comma-separated (default: asymActivation,symWeight)");
    add.list(op_types_, "--op-types", "OP,...", "operators that --dynamic quantizes: MatMul, Gemm (default: both)");
}

SchemeChanges TypeFlags::choose_dynamic() {
    if (dynamic_.empty()) return {};
    if (!name_.empty() && name_ != dynamic_type) throw usage_error("--dynamic stands for a type, and --type {} is given, too", name_);
    name_ = dynamic_type;
    return changes_of(dynamic_);
}

void TypeFlags::change(SchemeChanges changes) {
    if (per_channel_ && per_tensor_) throw usage_error("--per-channel and --per-tensor contradict each other");
    if (per_row_ && per_tensor_) throw usage_error("--per-row and --per-tensor contradict each other");
    if (given_.block && per_tensor_) throw usage_error("--block and --per-tensor contradict each other");
    if (two_level_ && per_tensor_) throw usage_error("--two-level and --per-tensor contradict each other");
    if (!act_sym_.empty()) changes.act_sym = act_sym_ == "yes";
    if (!weight_sym_.empty()) changes.weight_sym = weight_sym_ == "yes";
    if (per_channel_) changes.per_channel = true;
    if (per_row_) changes.per_row = true;
    if (two_level_) changes.two_level = true;
    changes.act_bits = given_.act_bits;
    changes.weight_bits = given_.weight_bits;
    changes.bias_bits = given_.bias_bits;
    changes.float_bits = given_.float_bits;
    changes.block = given_.block;
    if (changes == SchemeChanges()) return;
    if (!is_ours()) throw usage_error("type {} of ggml is as it is: its bits and blocks cannot be set", name_);
    own_ = changed(scheme_named(name_), changes);
}

void TypeFlags::add_rules(std::optional<Rules>& rules) const {
    if (op_types_.empty()) return;
    if (!rules) rules.emplace();
    for (const std::string& op : op_types_) {
        const Rule rule{.scheme = &scheme(), .used = true};
        rules->op_types.emplace(op, rule);
    }
    if (!rules->global) rules->global.emplace();
}

void TypeFlags::choose_target() {
    const TypeChoice choice = choose_type(name_, target_, runtime_);
    for (const std::string& line : choice.said) notice(line);
    name_ = choice.type;
    format_ = choice.format;
    runtime_ = choice.runtime;
    static_for_ = choice.static_for;
}

void TypeFlags::choose() {
    say_spelling(name_);
    name_ = type_of_spelling(name_);
    const SchemeChanges words = choose_dynamic();
    choose_target();
    if (name_.empty()) name_ = "i8";
    change(words);
    if (!op_types_.empty() && name_ != dynamic_type) throw usage_error("--op-types is for --dynamic");
    for (const std::string& op : op_types_) check_op_type(op);
}

void list_spellings() {
    for (const Spelling& row : all_spellings()) print(fmt::format("{:<14}the same as {}\n", row.name, row.type));
}

bool TypeFlags::is_ours() const { return is_scheme_name(name_); }

}  // namespace quern
