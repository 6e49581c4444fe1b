// StringConcat StringNormalizer StringSplit TfIdfVectorizer.
#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

std::vector<std::string> strings_of(const Tensor& tensor, std::string_view what) {
    if (tensor.dtype != DType::string) throw bad_input("{} is {}, need string", what, name_of(tensor.dtype));
    std::vector<std::string> out;
    for (size_t i = 0; i < static_cast<size_t>(tensor.count()); ++i) out.emplace_back(string_at(tensor, i));
    return out;
}

std::vector<std::string> texts(const NodeView& view, std::string_view name) {
    const auto found = view.node().attrs.find(name);
    if (found == view.node().attrs.end()) return {};
    const auto* items = std::get_if<std::vector<std::string>>(&found->second);
    if (!items) throw bad_input("attribute \"{}\" has the wrong type", name);
    return *items;
}

// ---- StringConcat ----------------------------------------------------------------------------------------------------

void eval_string_concat(EvalCtx& ctx) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    const auto left = strings_of(a, "input 0"), right = strings_of(b, "input 1");
    const Dims dims = broadcast(a.dims, b.dims);
    const BroadcastIndex at_a(a.dims, dims), at_b(b.dims, dims);
    std::vector<std::string> out(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < out.size(); ++i) out[i] = left[at_a(i)] + right[at_b(i)];
    ctx.give(0, Tensor::strings(dims, out));
}

// ---- StringNormalizer --------------------------------------------------------------------------------------------------

enum class Case : uint8_t { none, lower, upper };

std::string in_case(std::string text, Case to) {
    if (to == Case::none) return text;
    for (char& c : text) {
        if (static_cast<unsigned char>(c) >= 128) throw unsupported("case of letters other than ASCII");
        if (to == Case::lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (to == Case::upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

Case case_action(const NodeView& view) {
    const std::string action = view.text("case_change_action");
    if (action == "NONE") return Case::none;
    if (action == "LOWER") return Case::lower;
    if (action == "UPPER") return Case::upper;
    throw bad_input("case_change_action is \"{}\"", action);
}

void check_normalized_shape(const Shape& shape) {
    if (!shape.ranked || shape.rank() == 1) return;
    if (shape.rank() != 2 || (shape.dims[0].known() && shape.dims[0].value != 1))
        throw bad_input("input 0 is {}, need [c] or [1,c]", to_string(shape));
}

void infer_string_normalizer(InferCtx& ctx) {
    Shape shape = ctx.shape(0);
    check_normalized_shape(shape);
    if (shape.ranked) shape.dims.back() = Dim::unknown();
    ctx.set(0, Type::tensor(DType::string, std::move(shape)));
}

void eval_string_normalizer(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    check_normalized_shape(Shape::of(x.dims));
    const Case action = case_action(ctx);
    const auto stops = texts(ctx, "stopwords");
    const Case compared = ctx.integer("is_case_sensitive") || stops.empty() ? Case::none : Case::lower;
    std::vector<std::string> words, kept;
    for (const std::string& stop : stops) words.push_back(in_case(stop, compared));
    for (const std::string& item : strings_of(x, "input 0"))
        if (std::ranges::find(words, in_case(item, compared)) == words.end()) kept.push_back(in_case(item, action));
    if (kept.empty()) kept.emplace_back();
    Dims dims = x.dims;
    dims.back() = static_cast<int64_t>(kept.size());
    ctx.give(0, Tensor::strings(std::move(dims), kept));
}

// ---- StringSplit ---------------------------------------------------------------------------------------------------------

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// At most `max` splits; an empty delimiter splits at runs of white space and drops them at the ends.
std::vector<std::string> pieces_of(std::string_view text, const std::string& delimiter, int64_t max) {
    std::vector<std::string> out;
    if (!delimiter.empty()) {
        for (size_t at = 0; max-- > 0 && (at = text.find(delimiter)) != text.npos; text.remove_prefix(at + delimiter.size()))
            out.emplace_back(text.substr(0, at));
        out.emplace_back(text);
        return out;
    }
    const auto skip = [&] { text.remove_prefix(static_cast<size_t>(std::ranges::find_if_not(text, is_space) - text.begin())); };
    for (skip(); !text.empty(); skip()) {
        const auto end = max-- > 0 ? static_cast<size_t>(std::ranges::find_if(text, is_space) - text.begin()) : text.size();
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return out;
}

void infer_string_split(InferCtx& ctx) {
    Shape pieces = ctx.shape(0);
    if (pieces.ranked) pieces.dims.push_back(Dim::unknown());
    ctx.set(0, Type::tensor(DType::string, std::move(pieces)));
    ctx.set(1, Type::tensor(DType::i64, ctx.shape(0)));
}

void eval_string_split(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const std::string delimiter = ctx.text("delimiter");
    const int64_t max = ctx.has("maxsplit") ? ctx.integer("maxsplit") : -1;
    std::vector<std::vector<std::string>> split;
    std::vector<int64_t> counts;
    size_t width = 0;
    for (const std::string& item : strings_of(x, "input 0")) {
        split.push_back(item.empty() && delimiter.empty()
                            ? std::vector<std::string>()
                            : pieces_of(item, delimiter, max < 0 ? std::numeric_limits<int64_t>::max() : max));
        counts.push_back(static_cast<int64_t>(split.back().size()));
        width = std::max(width, split.back().size());
    }
    std::vector<std::string> out;
    for (auto& pieces : split) {
        pieces.resize(width);
        out.insert(out.end(), pieces.begin(), pieces.end());
    }
    Dims dims = x.dims;
    dims.push_back(static_cast<int64_t>(width));
    ctx.give(0, Tensor::strings(std::move(dims), out));
    ctx.give(1, Tensor::make<int64_t>(x.dims, counts));
}

// ---- TfIdfVectorizer ---------------------------------------------------------------------------------------------------------

struct Grams {
    std::map<std::vector<std::string>, size_t> columns;  // of the output, by n-gram
    std::vector<float> weights;                          // by column
    int64_t shortest, longest, skips, width;
};

std::vector<std::string> token_pool(const NodeView& view) {
    std::vector<std::string> pool = texts(view, "pool_strings");
    for (const int64_t token : view.integers("pool_int64s")) pool.push_back(std::to_string(token));
    return pool;
}

int64_t gram_width(const NodeView& view) {
    int64_t width = 0;
    for (const int64_t column : view.integers("ngram_indexes")) {
        if (column < 0 || column > (int64_t{1} << 31)) throw bad_input("ngram_indexes has {}, need 0 to {}", column, int64_t{1} << 31);
        width = std::max(width, column + 1);
    }
    return width;
}

Grams grams_of(const NodeView& view) {
    Grams grams{.columns = {},
                .weights = {},
                .shortest = view.integer("min_gram_length"),
                .longest = view.integer("max_gram_length"),
                .skips = view.integer("max_skip_count"),
                .width = gram_width(view)};
    if (grams.shortest < 1 || grams.longest < grams.shortest || grams.longest > 1000 || grams.skips < 0 || grams.skips > 1'000'000)
        throw bad_input("n-grams of {} to {} with {} skips, need lengths from 1 to 1000 in order and 0 to 1000000 skips", grams.shortest,
                        grams.longest, grams.skips);
    const auto pool = token_pool(view);
    const auto starts = view.integers("ngram_counts"), columns = view.integers("ngram_indexes");
    const auto weights = view.reals("weights");
    if (!weights.empty() && weights.size() != columns.size())
        throw bad_input("{} weights, need {}, one per n-gram", weights.size(), columns.size());
    grams.weights.assign(static_cast<size_t>(grams.width), 1.0f);
    size_t gram = 0;
    for (size_t n = 1; n <= starts.size(); ++n) {
        const int64_t end = n < starts.size() ? starts[n] : static_cast<int64_t>(pool.size());
        if (starts[n - 1] < 0 || end < starts[n - 1] || end > static_cast<int64_t>(pool.size()) ||
            (end - starts[n - 1]) % static_cast<int64_t>(n) != 0)
            throw bad_input("ngram_counts does not divide the pool of {} tokens", pool.size());
        for (int64_t at = starts[n - 1]; at < end; at += static_cast<int64_t>(n), ++gram) {
            if (gram >= columns.size()) throw bad_input("the pool has more n-grams than ngram_indexes");
            const auto column = static_cast<size_t>(columns[gram]);
            grams.columns[{pool.begin() + at, pool.begin() + at + static_cast<int64_t>(n)}] = column;
            if (!weights.empty()) grams.weights[column] = weights[gram];
        }
    }
    return grams;
}

void count_grams(const Grams& grams, std::span<const std::string> tokens, std::span<float> counts) {
    std::vector<std::string> gram;
    for (int64_t n = grams.shortest; n <= grams.longest; ++n)
        for (int64_t step = 1; step <= (n == 1 ? 1 : grams.skips + 1); ++step)
            for (int64_t first = 0; first + (n - 1) * step < static_cast<int64_t>(tokens.size()); ++first) {
                gram.clear();
                for (int64_t k = 0; k < n; ++k) gram.push_back(tokens[static_cast<size_t>(first + k * step)]);
                if (const auto found = grams.columns.find(gram); found != grams.columns.end()) ++counts[found->second];
            }
}

void infer_tf_idf(InferCtx& ctx) {
    Shape shape = ctx.shape(0);
    if (shape.ranked) {
        if (shape.rank() != 1 && shape.rank() != 2) throw bad_input("input 0 is {}, need rank 1 or 2", to_string(shape));
        shape.dims.back() = Dim::of(gram_width(ctx));
    }
    ctx.set(0, Type::tensor(DType::f32, std::move(shape)));
}

void eval_tf_idf(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    if (x.dims.size() != 1 && x.dims.size() != 2) throw bad_input("input 0 is {}, need rank 1 or 2", to_string(x.dims));
    const Grams grams = grams_of(ctx);
    const std::string mode = ctx.text("mode");
    if (mode != "TF" && mode != "IDF" && mode != "TFIDF") throw bad_input("mode is \"{}\", need TF, IDF or TFIDF", mode);
    std::vector<std::string> tokens;
    if (x.dtype == DType::string)
        tokens = strings_of(x, "input 0");
    else
        for (const int64_t token : to_ints(x)) tokens.push_back(std::to_string(token));
    Dims dims = x.dims;
    dims.back() = grams.width;
    const auto rows = static_cast<size_t>(x.dims.size() == 2 ? x.dims[0] : 1), length = static_cast<size_t>(x.dims.back());
    const auto width = static_cast<size_t>(grams.width);
    const auto out = ctx.out_as<float>(0, dims);
    std::ranges::fill(out, 0.0f);
    for (size_t row = 0; row < rows; ++row) {
        const auto counts = out.subspan(row * width, width);
        count_grams(grams, std::span(tokens).subspan(row * length, length), counts);
        for (size_t i = 0; i < width && mode != "TF"; ++i)
            counts[i] = mode == "TFIDF" ? counts[i] * grams.weights[i] : counts[i] > 0 ? grams.weights[i] : 0.0f;
    }
}

constexpr std::array normalizer_attrs{
    AttrDef{"case_change_action", AttrKind::text, "NONE"},
    AttrDef{"is_case_sensitive", AttrKind::integer, "0"},
    AttrDef{"locale", AttrKind::text},
    AttrDef{"stopwords", AttrKind::texts},
};
constexpr std::array split_attrs{AttrDef{"delimiter", AttrKind::text}, AttrDef{"maxsplit", AttrKind::integer}};
constexpr std::array tf_idf_attrs{
    AttrDef{"max_gram_length", AttrKind::integer, "", true},
    AttrDef{"max_skip_count", AttrKind::integer, "", true},
    AttrDef{"min_gram_length", AttrKind::integer, "", true},
    AttrDef{"mode", AttrKind::text, "", true},
    AttrDef{"ngram_counts", AttrKind::integers, "", true},
    AttrDef{"ngram_indexes", AttrKind::integers, "", true},
    AttrDef{"pool_int64s", AttrKind::integers},
    AttrDef{"pool_strings", AttrKind::texts},
    AttrDef{"weights", AttrKind::reals},
};

constexpr std::array text_table{
    plain("StringConcat", {2, 2}, {}, DType::string, infer_broadcast, eval_string_concat, "a followed by b"),
    plain("StringNormalizer", {1, 1}, normalizer_attrs, DType::string, infer_string_normalizer, eval_string_normalizer,
          "strings without stop words, in one case (ASCII)"),
    Op{.name = "StringSplit",
       .out = {2, 2},
       .attrs = split_attrs,
       .types = DType::string,
       .infer = infer_string_split,
       .eval = eval_string_split,
       .doc = "pieces between delimiters and how many there are"},
    plain("TfIdfVectorizer", {1, 1}, tf_idf_attrs, DType::i32 | DType::i64 | DType::string, infer_tf_idf, eval_tf_idf,
          "counts of n-grams, weighted"),
};

}  // namespace

std::span<const Op> text_ops() { return text_table; }

}  // namespace quern
