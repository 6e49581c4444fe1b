#include "libcore/codegen/c/dots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/shared.h"

namespace quern::cgen {
namespace {

constexpr int32_t filters_of_block = 4, depth_of_block = 16, channels_of_block = 8;  // of conv_rows, of conv_taps

int32_t in_blocks(int32_t count, int32_t block) { return (count + block - 1) / block * block; }

// Each channel has a filter of its own, and channels lie one after the other.
bool are_apart(const conv_t& s) { return s.in_channels == 1 && s.out_channels == 1 && s.groups > 1; }

// Does what a filter is multiplied with lie in the input as it is?
bool is_in_place(const conv_t& s) {
    return s.kernel_h * s.kernel_w == 1 && s.pad_h == 0 && s.pad_w == 0 && s.x_c == 1 && s.in_channels % depth_of_block == 0;
}

// Do filters reach over the edges of the image?
bool has_border(const conv_t& s) {
    const auto leaves = [](int32_t out, int32_t stride, int32_t pad, int32_t kernel, int32_t dilation, int32_t in) {
        return pad > 0 || (out - 1) * stride - pad + (kernel - 1) * dilation >= in;
    };
    return leaves(s.out_h, s.stride_h, s.pad_h, s.kernel_h, s.dilation_h, s.in_h) ||
           leaves(s.out_w, s.stride_w, s.pad_w, s.kernel_w, s.dilation_w, s.in_w);
}

// Weights less their zero points, block by block.
struct Filters {
    std::vector<int64_t> items, sums;  // sums: one a filter, of filters in blocks
    int64_t reach = 0;                 // the greatest sum of absolute weights
    bool bytes = true;
};

// Where weight k of filter m of group g comes to lie.
class Order {
   public:
    Order(const conv_t& s, bool apart)
        : apart_(apart),
          filters_(in_blocks(s.out_channels, filters_of_block)),
          taps_(in_blocks(s.kernel_h * s.kernel_w, 2)),
          blocks_(in_blocks(s.kernel_h * s.kernel_w * s.in_channels, depth_of_block) / depth_of_block) {
        sums = static_cast<size_t>(apart ? in_blocks(s.groups, channels_of_block) : s.groups * filters_);
        items = sums * static_cast<size_t>(apart ? taps_ : blocks_ * depth_of_block);
    }
    size_t items, sums;
    size_t of_filter(int32_t g, int32_t m) const { return static_cast<size_t>(apart_ ? g : g * filters_ + m); }
    size_t of(int64_t g, int64_t m, int64_t k) const {
        if (apart_) return static_cast<size_t>((g / channels_of_block * taps_ + k) * channels_of_block + g % channels_of_block);
        const int64_t block = (g * filters_ + m) / filters_of_block * blocks_ + k / depth_of_block;
        return static_cast<size_t>((block * filters_of_block + m % filters_of_block) * depth_of_block + k % depth_of_block);
    }

   private:
    bool apart_;
    int32_t filters_, taps_, blocks_;
};

Filters in_order(const Tensor& codes, const Encoding& e, const conv_t& s, bool apart) {
    const std::vector<int32_t> from = centered(codes, zeros_of(e), static_cast<size_t>(std::max(e.axis, 0)));
    const Order order(s, apart);
    Filters to{.items = std::vector<int64_t>(order.items), .sums = std::vector<int64_t>(order.sums)};
    for (int32_t filter = 0; filter < s.groups * s.out_channels; ++filter) {
        const int32_t g = filter / s.out_channels, m = filter % s.out_channels;
        int64_t reach = 0;
        for (int32_t k = 0; k < s.kernel_h * s.kernel_w * s.in_channels; ++k) {
            const int64_t tap = k / s.in_channels, h = tap / s.kernel_w, w = tap % s.kernel_w, c = k % s.in_channels;
            const int64_t item = from[static_cast<size_t>(int64_t{filter} * s.w_m + h * s.w_h + w * s.w_w + c * s.w_c)];
            to.items[order.of(g, m, k)] = item;
            to.sums[order.of_filter(g, m)] += item;
            to.bytes &= item == static_cast<int8_t>(item);
            reach += std::abs(item);
        }
        to.reach = std::max(to.reach, reach);
    }
    return to;
}

// What sums begin with: the bias, and the zero point of the input times the weights, so that the products are those of codes as they are.
std::string starts(Emit& e, const conv_t& s, const Filters& filters, const Sums& sums, bool apart) {
    const int64_t zero = zeros_of(*e.in_encoding(0))[0];
    const auto padded = static_cast<size_t>(apart ? 1 : in_blocks(s.out_channels, filters_of_block));
    std::vector<std::string> items;
    std::vector<int64_t> plain;
    for (size_t i = 0; i < filters.sums.size(); ++i) {
        const size_t m = i % padded, channel = i / padded * static_cast<size_t>(s.out_channels) + m;
        const bool real = m < static_cast<size_t>(s.out_channels) && channel < sums.bias.size();
        plain.push_back(static_cast<int32_t>(static_cast<uint32_t>((real ? sums.bias[channel] : 0) - zero * filters.sums[i])));
        items.push_back(fmt::format("FOLDED_{}({}, {})", short_name(e.in_type(0)), plain.back(), filters.sums[i]));
    }
    if (apart || !filters.bytes)
        return e.source.constant(from_ints(DType::i32, {static_cast<int64_t>(plain.size())}, plain), e.label("start"));
    e.source.kernel("dot_machine");
    return e.source.list("int32_t", items, 4, e.label("start"));
}

// No sum is greater. Those of products with codes as they are may be on the way, but 32 bits that wrap around lead to the same end.
int64_t greatest_sum(const Encoding& x, const Filters& filters, const Sums& sums) {
    const auto [low, high] = int_range(x.storage);
    const int64_t zero = zeros_of(x)[0];
    int64_t bias = 0;
    for (const int64_t b : sums.bias) bias = std::max(bias, std::abs(b));
    return std::max<int64_t>(bias + std::max(high - zero, zero - low) * filters.reach, 1);
}

std::vector<std::string> texts_of(std::span<const int64_t> numbers) {
    std::vector<std::string> texts;
    for (const int64_t number : numbers) texts.push_back(text_of(number));
    return texts;
}

// Channels are eight each, fewer than that, or eight with some that are left.
std::string_view blocks_of(const conv_t& s) {
    return s.groups % channels_of_block == 0 ? "" : s.groups < channels_of_block ? "_few" : "_rest";
}

void add_taps(Emit& e, const conv_t& s, Words& words, const Words& types, int32_t taps) {
    const std::string_view blocks = blocks_of(s);
    const std::string arguments = "taps, first, s->kernel_h * s->kernel_w, filter, start + first, sums";
    const std::string eight = blocks == "_few" ? "" : fmt::format("{}({});", e.source.kernel("dot_taps", types), arguments);
    const std::string few = blocks.empty() ? "" : fmt::format("{}({}, count);", e.source.kernel("few_taps", types), arguments);
    words.emplace_back("TAPS", text_of(taps));
    words.emplace_back("COUNT", blocks.empty() ? "8" : blocks == "_few" ? "s->groups" : "s->groups - first < 8 ? s->groups - first : 8");
    words.emplace_back("SUMS", blocks.empty() ? eight
                               : blocks == "_few"
                                   ? few
                                   : fmt::format("if (first + 8 <= s->groups)\n{0:24}{1}\n{0:20}else\n{0:24}{2}", "", eight, few));
}

// Where the vectors hold sixteen sums: columns of the image that stay for the next pixels.
void add_columns(Emit& e, Words& words, const Words& types) {
    const Words x{types.front()}, flipped{types.front(), types.back()};
    words.insert(words.end(), {types[2],
                               types.back(),
                               {"FROM", e.source.kernel("taps_of", x)},
                               {"ROWS", e.source.kernel("rows_of", x)},
                               {"FOLD", e.source.kernel("column_filters", {types.back()}, short_name(types.front().second))}});
    const Words columns{types.front(), {"COLUMN", e.source.kernel("column_of", flipped)}};
    words.emplace_back("NEXT", e.source.kernel("next_columns", columns));
}

void call_dots(Emit& e, const conv_t& s, const Finish& finish, const Filters& filters, const std::string& start, bool apart) {
    const std::string x_type(e.in_type(0)), w_type = filters.bytes ? "weight_t" : "int16_t";
    const int32_t taps = in_blocks(s.kernel_h * s.kernel_w, 2);
    Words types{{"X", x_type},
                {"W", w_type},
                {"BITS", filters.bytes ? "8" : "16"},
                {"WIDE", filters.bytes ? "int8_t" : "int16_t"},
                {"FLIP", x_type == "int8_t" ? "128" : "0"}};
    Words words{{"CODES", finish.codes.empty() ? "" : fmt::format("if (s->y_c == 1) r = {};", finish.codes)}};
    if (apart) {
        add_taps(e, s, words, types, taps);
        add_columns(e, words, types);
    } else {
        types.emplace_back("ROWS", e.source.kernel("dot_rows", types));
        words.insert(words.end(), {{"DOT", types.back().second},
                                   {"SEVERAL", e.source.kernel("dot_many", types)},
                                   {"PATCH", e.source.kernel("patch_of", {{"X", x_type}})}});
    }
    const DType storage = e.in_encoding(0)->storage;
    const int64_t zero = zeros_of(*e.in_encoding(0))[0];
    const auto count = static_cast<int64_t>(filters.items.size());
    std::vector<std::string> before;
    if (!apart) {
        const int64_t depth = in_blocks(s.kernel_h * s.kernel_w * s.in_channels, depth_of_block);
        before = {is_in_place(s) ? "0" : e.f.scratch(storage, depth), text_of(zero)};
    } else if (has_border(s)) {
        const std::vector<int64_t> pixel(static_cast<size_t>(s.groups), zero);
        before = {e.source.constant(from_ints(storage, {s.groups}, pixel), e.label("blank"))};
    } else {
        before = {"0"};
    }
    const std::string w = filters.bytes ? e.source.list(w_type, texts_of(filters.items), 1, e.label("weights"))
                                        : e.source.constant(from_ints(DType::i16, {count}, filters.items), e.label("weights"));
    Finish with_start = finish;
    if (apart) with_start.variant += fmt::format("_{}{}", taps, blocks_of(s));
    if (finish.codes.empty()) with_start.variant += "_one_by_one";
    with_start.arguments.insert(with_start.arguments.begin(), start);
    e.source.count_dots();
    call_product(e, apart ? "conv_taps" : "conv_rows", with_start, e.in(0), x_type, w, w_type, e.out_encoding() ? e.out() : e.real_out(),
                 e.source.parameters("conv_t", s, e.label("shape")), words, before);
}

}  // namespace

bool emit_dots(Emit& e, const conv_t& sizes, Product product, std::optional<ProductScaling> tflite) {
    const Encoding* w = e.in_encoding(1);
    const auto codes = e.constant(1);
    if (!e.source.takes_dots() || !has_bytes(*e.in_encoding(0)) || w->is_dynamic() || bits_of(w->storage) > 8 || !codes) return false;
    const bool apart = are_apart(sizes);
    if (apart ? sizes.x_c != 1 : sizes.out_channels == 1 && sizes.groups > 1) return false;
    const Sums sums = tflite ? tflite_sums(e, product) : onnx_sums(e, product);
    if (!sums.narrow) return false;
    const Filters filters = in_order(*codes, *w, sizes, apart);
    product.max_bias = greatest_sum(*e.in_encoding(0), filters, sums);
    const std::string start = starts(e, sizes, filters, sums, apart);
    call_dots(e, sizes, tflite ? tflite_finish(e, product, 0, *tflite) : onnx_finish(e, product, 0), filters, start, apart);
    return true;
}

}  // namespace quern::cgen
