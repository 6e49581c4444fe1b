#include "libcore/quant/types/overrides.h"

#include <algorithm>
#include <array>

#include "libcore/base/text.h"
#include "libcore/quant/types/two_level.h"

namespace quern {
namespace {

constexpr std::array<std::string_view, 6> suffixes{"_nhwc", "_nchw", "_moved", "_int8", "_uint8", "_int16"};

bool is_name(std::span<const std::string> names, std::string_view name) { return std::ranges::binary_search(names, name, std::less<>()); }

// Of the value that a made one stands for; empty: none.
std::string_view source_of(std::string_view name, std::span<const std::string> names) {
    for (const std::string_view suffix : suffixes)
        if (name.ends_with(suffix) && is_name(names, name.substr(0, name.size() - suffix.size())))
            return name.substr(0, name.size() - suffix.size());
    return {};
}

bool same(const Override& a, const Override& b) { return a.storage == b.storage && a.scale == b.scale && a.zero == b.zero; }

// With those of channels multiplied in.
std::vector<float> scales_of(const Override& wanted, const Dims& shape, int axis, std::string_view key) {
    std::vector<float> scales = wanted.scale;
    if (wanted.channels.empty()) return scales;
    const auto blocks = static_cast<size_t>(shape[static_cast<size_t>(axis)]);
    if (wanted.channels.size() * blocks != scales.size())
        throw bad_input("override for \"{}\" has scales of {} channels and {} blocks, which do not fit {}", escape(key),
                        wanted.channels.size(), scales.size(), to_string(shape));
    for (size_t i = 0; i < scales.size(); ++i) scales[i] *= wanted.channels[channel_of_block(shape, axis, i)];
    return scales;
}

}  // namespace

Overrides named_as_in(const Overrides& overrides, std::span<const std::string> names) {
    Overrides out;
    for (const auto& [name, entry] : overrides)
        if (is_name(names, name)) out.emplace(name, entry);
    for (const auto& [name, entry] : overrides) {
        if (is_name(names, name)) continue;
        const std::string_view source = entry.axis < 0 && entry.scale.size() <= 1 ? source_of(name, names) : std::string_view();
        const auto taken = source.empty() ? out.end() : out.emplace(source, entry).first;
        if (taken == out.end() || !same(taken->second, entry)) out.emplace(name, entry);
    }
    return out;
}

std::vector<std::string> unknown_of(const Overrides& overrides, std::span<const std::string> names) {
    std::vector<std::string> out;
    for (const auto& [name, entry] : overrides)
        if (!is_name(names, name)) out.push_back(name);
    return out;
}

std::string unknown_text(const std::vector<std::string>& unknown) {
    constexpr size_t most = 10;
    std::vector<std::string> shown;
    for (size_t i = 0; i < std::min(most, unknown.size()); ++i) shown.push_back(escape(unknown[i]));
    return fmt::format("{} {} left out: {}{}", unknown.size(),
                       unknown.size() == 1 ? "override names no value of the model and is" : "overrides name no value of the model and are",
                       join(shown, ", "), unknown.size() > most ? fmt::format(" and {} more", unknown.size() - most) : "");
}

void check_overrides(const Overrides& overrides, std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    const std::vector<std::string> unknown = unknown_of(overrides, names);
    if (unknown.empty()) return;
    const std::string more = unknown.size() > 1 ? fmt::format(", nor those of {} more", unknown.size() - 1) : "";
    throw bad_input("override for \"{}\": the model has no such value{}{}", escape(unknown.front()), more,
                    did_you_mean(unknown.front(), names))
        .with_hint("--allow-unmatched leaves out what the model does not have");
}

std::optional<Override> override_of(const Overrides* overrides, const std::string& key, DType usual) {
    if (!overrides) return std::nullopt;
    const auto found = overrides->find(key);
    if (found == overrides->end()) return std::nullopt;
    Override wanted = found->second;
    if (!wanted.any_sign || !is_integer(usual) || bits_of(usual) != bits_of(wanted.storage)) return wanted;
    const int64_t shift = int_range(usual).min - int_range(wanted.storage).min;
    wanted.storage = usual;
    for (int64_t& zero : wanted.zero) zero += shift;
    return wanted;
}

Encoding override_encoding(const Override& wanted, const Dims& dims, int weight_axis, std::string_view key) {
    const bool many = wanted.scale.size() > 1 || wanted.block > 0 || wanted.axis >= 0;
    const int default_axis = wanted.block > 0 && dims.size() == 2 && weight_axis >= 0 ? 1 - weight_axis : weight_axis;
    const int axis = !many ? -1 : wanted.axis >= 0 ? wanted.axis : default_axis;
    if (many && (axis < 0 || static_cast<size_t>(axis) >= dims.size()))
        throw bad_input("override for \"{}\" has {} scales, need 1", escape(key), wanted.scale.size());
    Dims shape;
    if (many) shape = {static_cast<int64_t>(wanted.scale.size())};
    if (wanted.block > 0) {
        shape = dims;
        int64_t& along = shape[static_cast<size_t>(axis)];
        along = (along + wanted.block - 1) / wanted.block;
    }
    if (count_of(shape) != static_cast<int64_t>(wanted.scale.size()) ||
        (many && wanted.block == 0 && dims[static_cast<size_t>(axis)] != shape[0]))
        throw bad_input("override for \"{}\" has {} scales, which do not fit {}", escape(key), wanted.scale.size(), to_string(dims));
    Encoding e = make_encoding(wanted.storage, Tensor::make<float>(shape, scales_of(wanted, shape, axis, key)), {}, axis, wanted.symmetric);
    e.block = wanted.block;
    if (is_integer(wanted.storage))
        e.zero = from_ints(wanted.storage, shape, wanted.zero.empty() ? std::vector<int64_t>(wanted.scale.size(), 0) : wanted.zero);
    return e;
}

}  // namespace quern
