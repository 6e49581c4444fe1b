#include "libcore/ops/integer/profile.h"

#include "libcore/ops/integer/family.h"

#include <algorithm>
#include <array>

#include "libcore/base/text.h"

namespace quern {

namespace {

using Rows = std::vector<ProfileRow>;

// The first row that takes a node computes it.
Rows joined(std::initializer_list<std::span<const ProfileRow>> families) {
    Rows rows;
    for (const auto family : families) rows.insert(rows.end(), family.begin(), family.end());
    return rows;
}

// What the kernels that stem from TensorFlow Lite have in common.
Rows tflite_family() {
    return joined({tflite_product_rows(), tflite_elementwise_rows(), tflite_activation_rows(), tflite_table_rows(), tflite_softmax_rows(),
                   tflite_spatial_rows(), tflite_hybrid_rows(), tflite_hybrid_recurrent_rows(), tflite_recurrent_rows(),
                   tflite_reduce_rows(), tflite_svdf_rows()});
}

}  // namespace

std::span<const Profile> all_profiles() {
    static const Rows family = tflite_family(), tflite = joined({tflite_power_rows(), family}),
                      tflm = joined({tflm_product_rows(), tflm_elementwise_rows(), tflm_activation_rows(), tflm_softmax_rows(), family}),
                      one = joined({one_rows(), tflm_product_rows(), family}),
                      onnx = joined({onnx_product_rows(), onnx_recode_rows(), onnx_qlinear_rows()}), ggml = joined({ggml_rows()});
    static const std::array profiles{Profile{"onnx", "ONNX's QuantizeLinear and onnxruntime's kernels", onnx},
                                     Profile{"tflite", "the reference kernels of TensorFlow Lite", tflite},
                                     Profile{"tflm", "the kernels of TensorFlow Lite Micro", tflm},
                                     Profile{"one", "onert's cpu kernels", one},
                                     Profile{"nnpa", "products of int8 codes that are found at run time, as those of onnx", {}},
                                     Profile{"ggml", "products of ggml's types of blocks", ggml}};
    return profiles;
}

const Node* sole_reader(const Graph& graph, ValueId id) {
    if (graph.value(id).enc) return nullptr;
    const std::vector<Use> uses = graph.uses(id);
    const auto other = [&](const Use& use) { return use.node == NodeId::none || use.index < 0 || use.node != uses[0].node; };
    return uses.empty() || std::ranges::any_of(uses, other) ? nullptr : &graph.node(uses[0].node);
}

std::vector<const Node*> joined_by(const ProfileRow& row, const Graph& graph, const Node& first) {
    std::vector<const Node*> nodes{&first};
    for (const ProfileLink& link : row.links) {
        const ValueId result = nodes.back()->out[0];
        const Node* next = sole_reader(graph, result);
        if (!next || !next->is(link.op) || next->out.size() != 1 || link.at >= next->in.size() || next->in[link.at] != result) return {};
        for (const ValueId id : next->in)
            if (id != ValueId::none && id != result && !graph.value(id).constant() && id != first.in[0]) return {};
        nodes.push_back(next);
    }
    const bool whole = row.links.empty() || (graph.value(nodes.back()->out[0]).enc && row.joins(graph, nodes));
    return whole ? nodes : std::vector<const Node*>{};
}

const Profile& need_profile(std::string_view name) {
    std::vector<std::string> names;
    for (const Profile& profile : all_profiles())
        if (profile.name == name) return profile;
    for (const Profile& profile : all_profiles()) names.emplace_back(profile.name);
    throw unsupported("arithmetic profile \"{}\" is not known{}", escape(name), did_you_mean(name, names));
}

const Profile* profile_named(std::string_view name) { return name.empty() ? nullptr : &need_profile(name); }

std::string_view own_profile_name(const Graph& graph) {
    const auto named = graph.metadata.find(profile_key);
    return named == graph.metadata.end() ? std::string_view() : named->second;
}

const Profile* own_profile(const Graph& graph) { return profile_named(own_profile_name(graph)); }

bool is_of_tflite(const Graph& graph) {
    const std::string_view name = own_profile_name(graph);
    return name == "tflite" || name == "tflm" || name == "one";
}

bool integer_grid(const std::optional<Encoding>& encoding, bool per_channel) {
    if (!encoding || !encoding->is_fixed() || !is_integer(encoding->storage) || encoding->block != 0 || encoding->min.defined())
        return false;
    const int64_t scales = encoding->scale.defined() ? encoding->scale.count() : 0;
    if (encoding->zero.defined() && encoding->zero.count() != scales) return false;
    return encoding->per_tensor() ? scales == 1 : per_channel && scales > 0;
}

}  // namespace quern
