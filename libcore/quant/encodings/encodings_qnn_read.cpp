// Graphs of QNN's converters, read. Axes and blocks are counted in QNN's layout of a tensor; "permute_order_to_src" says which of its
// dims each dim of the model's is. Without it scales of channels are those of the weight's output channels, and blocks are left out.
#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/quant/encodings/encodings_qnn.h"

namespace quern {
namespace {

// Why an entry is left out.
struct LeftOut {
    std::string why;
};

struct Numbers {
    std::vector<float> scale;
    std::vector<int64_t> offset;
};

// real = scale * (code + offset).
Override grid(DType storage, const JsonView& place, Numbers numbers) {
    Override out{.storage = storage, .scale = std::move(numbers.scale)};
    for (const int64_t offset : numbers.offset) {
        out.zero.push_back(-offset);
        check_zero(place, storage, -offset);
    }
    return out;
}

Numbers pair_of(const JsonView& json) { return {{scale_at(json["scale"])}, {whole_at(json["offset"])}}; }

Numbers pairs_of(const JsonView& list) {
    Numbers out;
    for (size_t i = 0; i < list.size(); ++i) {
        out.scale.push_back(scale_at(list.at(i)["scale"]));
        out.offset.push_back(whole_at(list.at(i)["offset"]));
    }
    if (out.scale.empty()) list.fail("is empty");
    return out;
}

// "scales" and "offsets", which are left out where all are 0.
Numbers lists_of(const JsonView& json) {
    Numbers out;
    const JsonView scales = json["scales"];
    for (size_t i = 0; i < scales.size(); ++i) out.scale.push_back(scale_at(scales.at(i)));
    if (out.scale.empty()) scales.fail("is empty");
    out.offset.assign(out.scale.size(), 0);
    if (!json.has("offsets") || json["offsets"].size() == 0) return out;
    const JsonView offsets = json["offsets"];
    if (offsets.size() != out.scale.size()) json.fail(fmt::format("{} scales and {} offsets", out.scale.size(), offsets.size()));
    for (size_t i = 0; i < offsets.size(); ++i) out.offset[i] = whole_at(offsets.at(i));
    return out;
}

class TensorReader {
   public:
    TensorReader(const JsonView& tensor, DType container) : tensor_(tensor), params_(tensor["quant_params"]), container_(container) {}

    Override read() const {
        const JsonView encoding = params_["encoding"];
        switch (encoding.integer()) {
            case qnn::one_scale: return grid(container_, params_["scale_offset"]["offset"], pair_of(params_["scale_offset"]));
            case qnn::one_of_bits: return one_of_bits();
            case qnn::channels: return channels("axis_scale_offset");
            case qnn::channels_of_bits: return channels_of_bits();
            case qnn::blocks: return blocks();
            case qnn::expanded_blocks: return expanded_blocks();
            case qnn::vectors: return vectors();
            default: encoding.fail(fmt::format("is {}, which is not an encoding of QNN", encoding.integer()));
        }
    }

   private:
    DType of_bits(const JsonView& bitwidth) const {
        const auto storage = qnn::codes_of(bitwidth.integer(), kind_of(container_) == NumberKind::signed_int);
        if (!storage) throw LeftOut{fmt::format("codes of {} bits", bitwidth.integer())};
        return *storage;
    }

    // LiteRT's dump has the bits in the type alone.
    Override one_of_bits() const {
        if (!params_.has("bw_scale_offset")) return grid(container_, params_["scale_offset"], pair_of(params_["scale_offset"]));
        const JsonView one = params_["bw_scale_offset"];
        return grid(of_bits(one["bitwidth"]), one, pair_of(one));
    }

    Override channels(std::string_view key) const {
        const JsonView json = params_[key];
        return along(json, grid(container_, json["scale_offsets"], pairs_of(json["scale_offsets"])));
    }

    Override channels_of_bits() const {
        if (!params_.has("bw_axis_scale_offset")) return channels("axis_scale_offset");
        const JsonView json = params_["bw_axis_scale_offset"];
        return along(json, grid(of_bits(json["bitwidth"]), json, lists_of(json)));
    }

    Override vectors() const {
        const JsonView grids = params_["vector"]["bw_axis_scale_offset"];
        return along(grids, grid(of_bits(grids["bitwidth"]), grids, lists_of(grids)));
    }

    Override along(const JsonView& json, Override out) const {
        const JsonView axis = json["axis"];
        const std::vector<int64_t> order = source_order();
        const int64_t rank = order.empty() ? 64 : static_cast<int64_t>(order.size());
        if (axis.integer() < 0 || axis.integer() >= rank) axis.fail(fmt::format("is {}, need 0 to {}", axis.integer(), rank - 1));
        if (!order.empty()) out.axis = source_axis(order, axis.integer());
        return out;
    }

    // A block size for each dim, of which one is not 1.
    Override blocks() const {
        const JsonView json = params_["block"], sizes = json["block_size"];
        const Dims dims = extents();
        if (sizes.size() != dims.size()) sizes.fail(fmt::format("has {} items, need {}", sizes.size(), dims.size()));
        Dims grids = dims;
        std::vector<size_t> axes;
        for (size_t i = 0; i < dims.size(); ++i) {
            const int64_t size = sizes.at(i).integer();
            if (size < 1) sizes.at(i).fail(fmt::format("is {}, need 1 or more", size));
            grids[i] = dims[i] / size + (dims[i] % size != 0);
            if (size > 1 && dims[i] > 1) axes.push_back(i);
        }
        if (axes.size() != 1) throw LeftOut{"blocks over several dims"};
        return in_blocks(json["scale_offsets"], pairs_of(json["scale_offsets"]), grids, axes[0], sizes.at(axes[0]).integer());
    }

    // Integers of blocks times the scales of channels; blocks lie along the other dim that is not 1.
    Override expanded_blocks() const {
        const JsonView json = params_["blockwise_expansion"], integers = json["block_scales"];
        const Dims dims = extents();
        const int64_t axis = json["axis"].integer(), count = json["num_blocks_per_axis"].integer();
        if (axis < 0 || axis >= static_cast<int64_t>(dims.size())) json["axis"].fail(fmt::format("is {}, of {} dims", axis, dims.size()));
        std::vector<size_t> others;
        for (size_t i = 0; i < dims.size(); ++i)
            if (i != static_cast<size_t>(axis) && dims[i] > 1) others.push_back(i);
        if (others.size() != 1) throw LeftOut{"blocks over several dims"};
        const int64_t channels = dims[static_cast<size_t>(axis)], length = dims[others[0]];
        if (count < 1 || length % count != 0)
            json["num_blocks_per_axis"].fail(fmt::format("is {}, which does not divide {}", count, length));
        const Numbers pairs = pairs_of(json["scale_offsets"]);
        if (static_cast<int64_t>(pairs.scale.size()) != channels || integers.size() != pairs.scale.size() * static_cast<size_t>(count))
            json.fail(fmt::format("has {} scales and {} integers, need {} and {}", pairs.scale.size(), integers.size(), channels,
                                  channels * count));
        Dims grids = dims;
        grids[others[0]] = count;
        return in_blocks(json, products(integers, pairs, axis < static_cast<int64_t>(others[0])), grids, others[0], length / count);
    }

    // Integers are in order of channels; `channels_first`: so are the scales of the tensor.
    static Numbers products(const JsonView& integers, const Numbers& pairs, bool channels_first) {
        const size_t channels = pairs.scale.size(), count = integers.size() / channels;
        Numbers out{std::vector<float>(integers.size()), std::vector<int64_t>(integers.size())};
        for (size_t i = 0; i < integers.size(); ++i) {
            const size_t channel = i / count, block = i % count, to = channels_first ? i : block * channels + channel;
            const int64_t integer = integers.at(i).integer();
            if (integer < 1 || integer > 65535) integers.at(i).fail(fmt::format("is {}, need 1 to 65535", integer));
            out.scale[to] = pairs.scale[channel] * static_cast<float>(integer);
            out.offset[to] = pairs.offset[channel];
        }
        return out;
    }

    // Brought into the order of the model's dims.
    Override in_blocks(const JsonView& place, const Numbers& numbers, const Dims& grids, size_t axis, int64_t block) const {
        const std::vector<int64_t> order = source_order();
        if (order.empty()) throw LeftOut{"blocks in QNN's layout, and no permute_order_to_src"};
        if (order.size() != grids.size())
            tensor_["permute_order_to_src"].fail(fmt::format("has {} items, need {}", order.size(), grids.size()));
        size_t count = 1;
        for (const int64_t extent : grids) count = std::min(count * static_cast<size_t>(extent), most);
        if (count != numbers.scale.size()) place.fail(fmt::format("has {} scales for {} blocks", numbers.scale.size(), to_string(grids)));
        const Tensor scales = permuted(Tensor::make<float>(grids, numbers.scale), order),
                     offsets = permuted(Tensor::make<int64_t>(grids, numbers.offset), order);
        Override out = grid(container_, place, {to_floats(scales), to_ints(offsets)});
        out.axis = source_axis(order, static_cast<int64_t>(axis));
        out.block = block;
        return out;
    }

    Dims extents() const {
        const JsonView json = tensor_["dims"];
        Dims dims;
        for (size_t i = 0; i < json.size(); ++i) {
            dims.push_back(json.at(i).integer());
            if (dims.back() < 1 || dims.back() > (int64_t{1} << 31)) json.at(i).fail(fmt::format("is {}", dims.back()));
        }
        return dims;
    }

    // Dim i of the model is dim order[i] here; empty: it is not said.
    std::vector<int64_t> source_order() const {
        if (!tensor_.has("permute_order_to_src")) return {};
        const JsonView json = tensor_["permute_order_to_src"];
        std::vector<int64_t> order, sorted;
        for (size_t i = 0; i < json.size(); ++i) order.push_back(json.at(i).integer());
        sorted = order;
        std::ranges::sort(sorted);
        for (size_t i = 0; i < sorted.size(); ++i)
            if (sorted[i] != static_cast<int64_t>(i)) json.fail("is not a permutation");
        return order;
    }

    static int source_axis(const std::vector<int64_t>& order, int64_t axis) {
        return static_cast<int>(std::ranges::find(order, axis) - order.begin());
    }

    static constexpr size_t most = size_t{1} << 32;  // of blocks, more than any file has

    const JsonView& tensor_;
    JsonView params_;
    DType container_;
};

void say_names(std::string_view what, const std::vector<std::string>& names) {
    if (!names.empty()) say_notice(fmt::format("{}: {}", what, join(names, ", ")));
}

}  // namespace

bool is_qnn_graph(const JsonView& json) {
    return json.json().is_object() && json.has("graph") && json["graph"].json().is_object() && json["graph"].has("tensors");
}

Overrides parse_qnn_graph(const JsonView& json) {
    Overrides out;
    std::vector<std::string> left_out, vectors;
    json["graph"]["tensors"].each([&](const std::string& name, const JsonView& tensor) {
        const auto storage = qnn::storage_of(tensor["data_type"].integer());
        const JsonView params = tensor["quant_params"];
        if (!storage || params["definition"].integer() != qnn::is_defined || params["encoding"].integer() == qnn::undefined) return;
        try {
            out.emplace(name, TensorReader(tensor, *storage).read());
            if (params["encoding"].integer() == qnn::vectors) vectors.push_back(escape(name));
        } catch (const LeftOut& reason) {
            left_out.push_back(fmt::format("{} ({})", escape(name), reason.why));
        }
    });
    say_names("left out", left_out);
    say_names("of vectors the grids of their codes are taken, not which ones there are", vectors);
    return out;
}

}  // namespace quern
