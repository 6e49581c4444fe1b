#include "formats/torch/map/map.h"

#include <algorithm>
#include <map>
#include <utility>

#include "formats/torch/file/aliases.h"
#include "libcore/base/text.h"

namespace quern::torch_format {
namespace {

using Rows = std::map<std::string, const MapRow*, std::less<>>;

const Rows& rows_by_name() {
    static const Rows rows = [] {
        Rows all;
        for (const MapRow* row : map_rows())
            for (const std::string& name : split(row->names, ' ')) all[name] = row;
        return all;
    }();
    return rows;
}

const MapRow* found(std::string_view name) {
    const auto at = rows_by_name().find(name);
    return at == rows_by_name().end() ? nullptr : at->second;
}

// "aten.add_.Tensor" -> "aten.add_", ".Tensor"
std::pair<std::string, std::string> apart(std::string_view target) {
    const size_t first = target.find('.'), second = first == std::string_view::npos ? first : target.find('.', first + 1);
    if (second == std::string_view::npos) return {std::string(target), ""};
    return {std::string(target.substr(0, second)), std::string(target.substr(second))};
}

// "aten.add_" -> "aten.add", "_"; "aten.view_copy" -> "aten.view", "_copy"
std::pair<std::string, std::string> without_suffix(const std::string& name) {
    const size_t length = name.ends_with("_copy") ? 5 : name.ends_with('_') && !name.ends_with("__") ? 1 : 0;
    return {name.substr(0, name.size() - length), name.substr(name.size() - length)};
}

const Alias* alias_of(std::string_view name) {
    const auto at = std::ranges::lower_bound(aliases(), name, {}, &Alias::name);
    return at != aliases().end() && at->name == name ? &*at : nullptr;
}

struct Resolved {
    const Alias* alias = nullptr;  // nullptr: `target` is the operator itself
    std::string target;
};
Resolved resolved(std::string_view target) {
    const auto [name, overload] = apart(target);
    const auto [plain, suffix] = without_suffix(name);
    const Alias* alias = alias_of(name + overload);
    if (!alias) alias = alias_of(name);
    if (alias) {
        const auto [own, own_overload] = apart(alias->stands_for);
        return {alias, own + (own_overload.empty() ? overload : own_overload)};
    }
    alias = alias_of(plain + overload);
    if (!alias) alias = alias_of(plain);
    if (!alias) return {nullptr, std::string(target)};
    const auto [own, own_overload] = apart(alias->stands_for);
    return {alias, own + suffix + (own_overload.empty() ? overload : own_overload)};
}

// As the row knows them.
void name_arguments(ProgramNode& node, std::string_view words) {
    for (const std::string& word : split(words, ' ')) {
        const size_t at = word.find_first_of("=:");
        const std::string ours = word.substr(0, at), said = word.substr(at + 1);
        const auto named = [&](const std::string& name) {
            return std::ranges::find(node.in, name, &std::pair<std::string, Argument>::first);
        };
        if (word[at] == '=' && named(said) != node.in.end()) named(said)->first = ours;
        if (word[at] == ':' && named(ours) == node.in.end())
            node.in.emplace_back(ours, Argument{.kind = Argument::Kind::integer, .integer = std::stoll(said)});
    }
}

}  // namespace

std::vector<const MapRow*> map_rows() {
    std::vector<const MapRow*> all;
    for (const auto part : {elementwise_rows(), activation_rows(), view_rows(),      movement_rows(), product_rows(),   spatial_rows(),
                            pool_rows(),        resize_rows(),     reduce_rows(),    normal_rows(),   create_rows(),    index_rows(),
                            scalar_rows(),      attention_rows(),  recurrent_rows(), control_rows(),  quantized_rows(), composed_rows(),
                            counting_rows(),    special_rows(),    matrix_rows(),    order_rows(),    joined_rows(),    loss_rows()})
        for (const MapRow& row : part) all.push_back(&row);
    return all;
}

Mapped map_row(std::string_view any_name) {
    const std::string target = canonical(any_name);
    const auto [name, overload] = apart(target);
    if (const MapRow* row = found(target)) return {row};
    if (const MapRow* row = found(name)) return {row};
    const auto [plain, suffix] = without_suffix(name);
    const bool in_place = suffix == "_";
    if (const MapRow* row = found(plain + overload)) return {row, in_place};
    return {found(plain), in_place};
}

std::string canonical(std::string_view target) { return resolved(target).target; }

void stand_for(ProgramNode& node) {
    const Resolved as = resolved(node.target);
    if (!as.alias) return;
    node.alias = std::exchange(node.target, as.target);
    name_arguments(node, as.alias->arguments);
}

std::string remedy(const Op& op) {
    if (op.known() || !op.domain.starts_with("torch.")) return {};
    const std::string target = fmt::format("{}.{}", op.domain.substr(6), op.name);
    if (const MapRow* row = map_row(target).row) {
        if (row->limits.empty()) return "quern has it in other forms, not with these arguments";
        return fmt::format("quern has it in other forms; what it does not have: {}", row->limits);
    }
    const std::string name = without_suffix(apart(canonical(target)).first).first;
    if (!std::ranges::binary_search(helped_by_decomposition(), name)) return {};
    return "torch can take it apart into operators that quern has: export again, and save ep.run_decompositions()";
}

}  // namespace quern::torch_format
