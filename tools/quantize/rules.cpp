#include "tools/quantize/rules.h"

#include "libcore/base/few.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"
#include "libcore/quant/encodings/quantsim.h"
#include "libcore/quant/types/spellings.h"

namespace quern {
namespace {

Rule rule_of(std::string_view flag, std::string_view text) {
    return at_place(flag, [&] { return parse_rule(text); });
}

bool is_type(std::string_view word) { return word == "none" || is_scheme_name(type_of_spelling(word)); }

// Where the name ends in NAME=TYPE[,KEY=VALUE]: names may have '=' in them, so before the first '=' that a type follows.
size_t end_of_name(const std::string& text) {
    for (size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1))
        if (is_type(std::string_view(text).substr(at + 1, text.find(',', at) - at - 1))) return at;
    return text.find('=');
}

void put(std::string_view flag, const std::vector<std::string>& texts, std::map<std::string, Rule>& to) {
    std::set<std::string> given;
    for (const std::string& text : texts) {
        const size_t end = end_of_name(text);
        if (end == std::string::npos || end == 0) throw usage_error("{}: got \"{}\", need NAME=RULE", flag, escape(text));
        const std::string name = text.substr(0, end);
        if (!given.insert(name).second) throw usage_error("{}: \"{}\" is given twice", flag, escape(name));
        to[name] = rule_of(fmt::format("{} {}", flag, escape(name)), std::string_view(text).substr(end + 1));
    }
}

}  // namespace

void RuleFlags::add(Options& add) {
    add.group("Rules");
    add.input(file_, "--rules", "FILE", "rules for parts of the model, or a quantsim configuration of AIMET: quern-rules(7)");
    add.text(global_, "--set-global", "RULE", "for what no other rule names: a type, none, or TYPE,KEY=VALUE,...");
    add.text(io_, "--set-io", "RULE", "for inputs and outputs of the model");
    add.texts(module_names_, "--set-module-name", "NAME=RULE", "for a module and everything in it: /encoder/layer.0=none; may repeat");
    add.texts(module_types_, "--set-module-type", "TYPE=RULE", "for modules of this name without its index: layer=w8a16; may repeat");
    add.texts(node_names_, "--set-node-name", "NAME=RULE", "for one node, or all that a pattern fits: /encoder/*/MatMul=none; may repeat");
    add.texts(subgraphs_, "--set-subgraph", "FIRST..LAST=RULE", "for every node on a way from one node to another; may repeat");
    add.texts(op_types_, "--set-op-type", "OP=RULE", "for all nodes of an operator: Softmax=none; may repeat");
    add.flag(allow_unmatched_, "--allow-unmatched", "a rule that matches nothing, or an override of no value, is told, and no error");
}

Rules RuleFlags::read_file(std::string_view text, const Scheme& base) {
    if (!is_quantsim(text)) return parse_rules(text);
    Quantsim config = parse_quantsim(text, base);
    if (!config.unapplied.empty())
        say_notice(
            fmt::format("settings of the quantsim configuration without a counterpart:\n  {}", join(few_of(config.unapplied), "\n  ")));
    return std::move(config.rules);
}

std::optional<Rules> RuleFlags::read(const Scheme& base) const {
    const bool flags = global_ || io_ || !module_names_.empty() || !module_types_.empty() || !node_names_.empty() || !subgraphs_.empty() ||
                       !op_types_.empty();
    if (file_.empty() && !flags) return std::nullopt;
    Rules rules;
    if (!file_.empty()) {
        const Bytes bytes = map_input(file_);
        rules = at_place(display_name(file_), [&] { return read_file(bytes.text(), base); });
    }
    if (global_) rules.global = rule_of("--set-global", *global_);
    if (io_) rules.io = rule_of("--set-io", *io_);
    put("--set-module-name", module_names_, rules.module_names);
    put("--set-module-type", module_types_, rules.module_types);
    put("--set-node-name", node_names_, rules.node_names);
    put("--set-subgraph", subgraphs_, rules.subgraphs);
    put("--set-op-type", op_types_, rules.op_types);
    return rules;
}

}  // namespace quern
