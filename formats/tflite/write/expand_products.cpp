// Products: of matrices, vectors and named dims, and convolutions that spread.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "formats/tflite/write/expand.h"
#include "libcore/ops/shared/conv.h"
#include "libcore/passes/taken.h"

namespace quern::tflite_format {
namespace {

using decompose::Term;

// ---- Gemm, MatMul --------------------------------------------------------------------------------------------------------------------

// What no constant takes in stands behind the product: a factor, a summand that is not a number of each unit.
bool gemm(Spelling& at) {
    const auto alpha = static_cast<double>(at.view.real("alpha")), beta = static_cast<double>(at.view.real("beta"));
    const bool across = at.view.integer("transB") != 0, computed = !at.graph().value(at.in(1)).constant() && !across;
    const auto units = at.type_of(at.node.out[0]).shape.dims.at(1);
    const auto summand = at.dims(2);
    const bool each = !at.has(2) || (beta == 1 && alpha == 1 && summand && !summand->empty() && units.known() &&
                                     summand->back() == units.value && count_of(*summand) == units.value);
    if (alpha == 1 && each && !computed) return false;
    Attrs attrs = at.node.attrs;
    attrs.erase("alpha");
    attrs.erase("beta");
    ValueId b = at.in(1);
    if (computed) {
        b = at.moved(ops::Transpose, {b}, {{"perm", Dims{1, 0}}});
        attrs["transB"] = int64_t{1};
    }
    Builder::Values in{at.in(0), b};
    if (each && at.has(2)) in.push_back(at.in(2));
    Term made{&at, at.add(ops::Gemm, in, attrs)};
    if (alpha != 1) made = made * alpha;
    if (each) return at.end(made);
    const Term more{&at, at.in(2)};
    return at.end(made + (beta == 1 ? more : more * beta));
}

// Vectors are matrices of one row or one column, which goes again.
bool matmul(Spelling& at) {
    if (!at.type_of(at.in(0)).shape.ranked || !at.type_of(at.in(1)).shape.ranked) return false;
    const bool row = at.rank(0) == 1, column = at.rank(1) == 1;
    if (!row && !column) return false;
    const auto axes = [&](Dims items) { return at.integers(items, "axes"); };
    const ValueId a = row ? at.moved(ops::Unsqueeze, {at.in(0), axes({0})}) : at.in(0);
    const ValueId b = column ? at.moved(ops::Unsqueeze, {at.in(1), axes({1})}) : at.in(1);
    const ValueId made = at.encoded_as(at.node.out[0], at.add(ops::MatMul, {a, b}));
    Dims gone;
    if (row) gone.push_back(-2);
    if (column) gone.push_back(-1);
    return at.end(at.moved(ops::Squeeze, {made, axes(gone)}));
}

// ---- Einsum --------------------------------------------------------------------------------------------------------------------------

// Operands with a letter for each dim, multiplied two at a time.
class NamedDims {
   public:
    struct Operand {
        ValueId id;
        std::string letters;
    };

    explicit NamedDims(Spelling& at) : at_(at) {}

    bool run() {
        if (!parse()) return false;
        for (size_t i = 0; i < operands_.size(); ++i) operands_[i] = distinct(operands_[i], *at_.dims(i));
        Operand product = operands_[0];
        for (size_t i = 1; i < operands_.size(); ++i) {
            std::string kept = result_;
            for (size_t k = i + 1; k < operands_.size(); ++k) kept += operands_[k].letters;
            product = multiplied(product, operands_[i], kept);
        }
        product = summed(product, result_);
        if (at_.graph().value(product.id).enc) product.id = at_.recoded(product.id, at_.node.out[0]);
        const ValueId made = turned(product, result_);
        return at_.end(made == at_.in(0) ? at_.add(ops::Identity, {made}) : made);
    }

   private:
    static bool has(const std::string& letters, char c) { return letters.find(c) != std::string::npos; }
    // Letters of `a` that are, or are not, in `b`.
    static std::string among(const std::string& a, const std::string& b, bool in) {
        std::string out;
        std::ranges::copy_if(a, std::back_inserter(out), [&](char c) { return has(b, c) == in; });
        return out;
    }

    bool parse() {
        std::string text = at_.view.text("equation");
        std::erase(text, ' ');
        const size_t arrow = text.find("->");
        const std::string left = text.substr(0, arrow) + ",";
        for (size_t i = 0, end; (end = left.find(',', i)) != std::string::npos; i = end + 1)
            if (!add_operand(left.substr(i, end - i))) return false;
        if (operands_.size() != at_.node.in.size()) return false;
        result_ = arrow == std::string::npos ? named_once() : named(text.substr(arrow + 2), unnamed_);
        return std::ranges::all_of(result_, [&](char c) { return lengths_.contains(c) && std::ranges::count(result_, c) == 1; });
    }

    static bool is_unnamed(char c) { return c >= '0' && c <= '9'; }

    // Dims without a name, of which the last is 0, the one before it 1.
    static std::string named(std::string letters, size_t unnamed) {
        const size_t dots = letters.find("...");
        if (dots == std::string::npos) return letters;
        std::string digits;
        for (size_t i = unnamed; i-- > 0;) digits += static_cast<char>('0' + i);
        return letters.replace(dots, 3, digits);
    }

    bool add_operand(const std::string& given) {
        const size_t place = operands_.size(), dots = has(given, '.') ? 3 : 0;
        const auto dims = at_.dims(place);
        if (!dims || given.size() < dots || dims->size() < given.size() - dots) return false;
        const size_t unnamed = dots > 0 ? dims->size() - (given.size() - dots) : 0;
        const std::string letters = named(given, unnamed);
        if (unnamed > 10 || letters.size() != dims->size() || has(letters, '.')) return false;
        unnamed_ = std::max(unnamed_, unnamed);
        for (size_t k = 0; k < letters.size(); ++k) {
            const auto [found, fresh] = lengths_.emplace(letters[k], (*dims)[k]);
            const bool spread = is_unnamed(letters[k]) && (found->second == 1 || (*dims)[k] == 1);
            if (found->second != (*dims)[k] && !spread) return false;
            found->second = std::max(found->second, (*dims)[k]);
        }
        operands_.push_back({at_.in(place), letters});
        return true;
    }

    // Without an arrow the result has the dims that are named once, in the order of the alphabet.
    std::string named_once() const {
        std::map<char, int> times;
        for (const Operand& operand : operands_)
            for (const char c : operand.letters) ++times[c];
        std::string out = named("...", unnamed_);
        for (const auto& [letter, count] : times)
            if (count == 1 && !is_unnamed(letter)) out += letter;
        return out;
    }

    // Without the dims of 1 along which it is spread, and of a letter that it has twice the diagonal.
    Operand distinct(const Operand& x, const Dims& dims) {
        Operand made{x.id, ""};
        Dims left;
        for (size_t k = 0; k < dims.size(); ++k) {
            if (dims[k] == 1 && lengths_.at(x.letters[k]) != 1) continue;
            made.letters += x.letters[k];
            left.push_back(dims[k]);
        }
        if (left != dims) made.id = at_.shaped(x.id, left);
        for (size_t k = 0; k < made.letters.size(); ++k)
            if (const size_t twin = made.letters.find(made.letters[k], k + 1); twin != std::string::npos) {
                made = diagonal(made, k, twin);
                k = std::string::npos;  // again from the first
            }
        return made;
    }

    // Of dims `a` and `b` as the last one.
    Operand diagonal(const Operand& x, size_t a, size_t b) {
        const int64_t length = lengths_.at(x.letters[a]);
        Operand made{x.id, ""};
        Dims perm, flat, places;
        for (size_t k = 0; k < x.letters.size(); ++k) {
            if (k == a || k == b) continue;
            perm.push_back(static_cast<int64_t>(k));
            flat.push_back(lengths_.at(x.letters[k]));
            made.letters += x.letters[k];
        }
        perm.insert(perm.end(), {static_cast<int64_t>(a), static_cast<int64_t>(b)});
        flat.push_back(length * length);
        for (int64_t i = 0; i < length; ++i) places.push_back(i * (length + 1));
        const ValueId turned = at_.moved(ops::Transpose, {x.id}, {{"perm", perm}});
        made.id = at_.gathered(at_.shaped(turned, flat), made.letters.size(), places);
        made.letters += x.letters[a];
        return made;
    }

    int64_t count(const std::string& letters) const {
        int64_t all = 1;
        for (const char c : letters) all *= lengths_.at(c);
        return all;
    }
    Dims lengths_of(const Operand& x) const {
        Dims dims;
        for (const char c : x.letters) dims.push_back(lengths_.at(c));
        return dims;
    }
    Operand summed(const Operand& x, const std::string& kept) {
        const std::string rest = among(x.letters, kept, true);
        if (rest == x.letters) return x;
        Dims axes;
        for (size_t i = 0; i < x.letters.size(); ++i)
            if (!has(kept, x.letters[i])) axes.push_back(static_cast<int64_t>(i));
        return {at_.add(ops::ReduceSum, {x.id, at_.integers(axes, "axes")}, {{"keepdims", int64_t{0}}}), rest};
    }
    ValueId turned(const Operand& x, const std::string& letters) {
        if (x.letters == letters) return x.id;
        Dims perm;
        for (const char c : letters) perm.push_back(static_cast<int64_t>(x.letters.find(c)));
        return at_.moved(ops::Transpose, {x.id}, {{"perm", perm}});
    }
    ValueId shaped(const Operand& x, const Dims& dims) { return lengths_of(x) == dims ? x.id : at_.shaped(x.id, dims); }
    // [shared, rows, columns] of the letters of each.
    ValueId matrices(const Operand& x, const std::string& shared, const std::string& rows, const std::string& columns) {
        const std::string letters = shared + rows + columns;
        return shaped({turned(x, letters), letters}, {count(shared), count(rows), count(columns)});
    }
    Operand multiplied(const Operand& first, const Operand& second, const std::string& kept) {
        const Operand a = summed(first, second.letters + kept), b = summed(second, first.letters + kept);
        const std::string both = among(a.letters, b.letters, true), shared = among(both, kept, true), gone = among(both, kept, false);
        const std::string rows = among(a.letters, b.letters, false), columns = among(b.letters, a.letters, false);
        const ValueId product = at_.add(ops::MatMul, {matrices(a, shared, rows, gone), matrices(b, shared, gone, columns)});
        const std::string letters = shared + rows + columns;
        const Dims dims = lengths_of({product, letters});
        return {dims == Dims{count(shared), count(rows), count(columns)} ? product : at_.shaped(product, dims), letters};
    }

    Spelling& at_;
    std::vector<Operand> operands_;
    std::string result_;
    size_t unnamed_ = 0;  // dims that "..." stands for
    std::map<char, int64_t> lengths_;
};

bool einsum(Spelling& at) { return NamedDims(at).run(); }

// ---- ConvTranspose -------------------------------------------------------------------------------------------------------------------

// Zeros between the taps of a constant filter.
ValueId with_gaps(Spelling& at, ValueId filter, const Dims& gaps) {
    const auto& encoding = at.graph().value(filter).enc;
    const Tensor from = *at.graph().constant(filter);
    if (bits_of(from.dtype) % 8 != 0 || (encoding && (!encoding->symmetric() || encoding->block > 0 || encoding->format)))
        return ValueId::none;
    Tensor to = from;
    for (size_t i = 0; i < gaps.size(); ++i) to.dims[i + 2] = (from.dims[i + 2] - 1) * gaps[i] + 1;
    const auto each = static_cast<size_t>(bits_of(from.dtype)) / 8;
    std::vector<std::byte> bytes(static_cast<size_t>(to.count()) * each);
    for (int64_t place = 0; place < from.count(); ++place) {
        int64_t rest = place, target = 0, step = 1;
        for (size_t i = from.dims.size(); i-- > 0; step *= to.dims[i], rest /= from.dims[i])
            target += rest % from.dims[i] * (i < 2 ? 1 : gaps[i - 2]) * step;
        std::copy_n(from.data.data() + static_cast<size_t>(place) * each, each,
                    bytes.begin() + static_cast<int64_t>(target) * static_cast<int64_t>(each));
    }
    to.data = Bytes::own(std::move(bytes));
    return at.encoded_as(filter, at.constant(to, "with_gaps"));
}

// One of lines as one of pictures of height 1.
ValueId as_plane(Spelling& at, ValueId x) {
    if (!at.graph().value(x).constant()) return at.moved(ops::Unsqueeze, {x, at.integers({2}, "axes")});
    Tensor tensor = *at.graph().constant(x);
    tensor.dims.insert(tensor.dims.begin() + 2, 1);
    return at.encoded_as(x, at.constant(tensor, "plane"));
}

// TRANSPOSE_CONV of two dims and one group: others as several side by side, with gaps in the filter, their borders cut off.
class Spread2d {
   public:
    explicit Spread2d(Spelling& at) : at_(at) {}

    bool run() {
        const auto dims = at_.dims(0), filter = at_.dims(1);
        if (!at_.channels_first() || !dims || !filter || dims->size() < 3 || dims->size() > 4) return false;
        spread_ = spread_of(at_.view, at_.space(), Dims(filter->begin() + 2, filter->end()));
        const Window& window = spread_.window;
        groups_ = at_.view.integer("group");
        const bool gaps = std::ranges::any_of(window.dilation, [](int64_t d) { return d != 1; });
        const bool said = is_said(*dims);
        if (groups_ == 1 && !gaps && said && dims->size() == 4) return false;
        if (!at_.graph().value(at_.in(1)).constant() || (at_.has(2) && !at_.graph().value(at_.in(2)).constant() && groups_ > 1))
            return false;
        ValueId x = at_.in(0), w = at_.in(1);
        if (gaps) w = with_gaps(at_, w, window.dilation);
        if (w == ValueId::none) return false;
        if (dims->size() == 3) {
            x = as_plane(at_, x);
            w = as_plane(at_, w);
        }
        set_attrs(dims->size() == 3, said);
        const auto made = in_groups(x, w, (*dims)[1]);
        if (!made) return false;
        return at_.end(framed(*made, dims->size() == 3, said));
    }

   private:
    // Is the padding even, or none, as the formats have it?
    bool is_said(const Dims& dims) const {
        const Window& window = spread_.window;
        bool same = true, valid = true;
        for (size_t i = 0; i < window.rank(); ++i) {
            const int64_t reach = (window.kernel[i] - 1) * window.dilation[i] + 1, out = spread_.out[i].value;
            const int64_t spare = (dims[i + 2] - 1) * window.stride[i] + reach - out;
            same = same && (out + window.stride[i] - 1) / window.stride[i] == dims[i + 2] &&
                   window.before[i] == std::max<int64_t>(spare, 0) / 2;
            valid = valid && spare <= 0 && window.before[i] == 0;
        }
        return same || valid;
    }

    // Without padding if it is cut off behind, else as it is.
    void set_attrs(bool lines, bool said) {
        const Window& window = spread_.window;
        Dims strides = window.stride, pads(2 * strides.size(), 0), more = at_.view.integers("output_padding");
        if (more.empty()) more.assign(strides.size(), 0);
        for (size_t i = 0; i < strides.size(); ++i) {
            if (said) {
                pads[i] = window.before[i];
                pads[i + strides.size()] = window.after[i];
            } else {
                more[i] = std::max<int64_t>(0, more[i] - window.after[i]);
            }
        }
        if (lines) {
            strides.insert(strides.begin(), 1);
            more.insert(more.begin(), 0);
            pads = {0, pads[0], 0, pads[1]};
        }
        attrs_ = {{"strides", strides}, {"pads", pads}, {"output_padding", more}};
    }

    std::optional<ValueId> in_groups(ValueId x, ValueId w, int64_t channels) {
        Builder::Values parts{x}, made;
        const int64_t each = channels / groups_;
        if (groups_ > 1) {
            parts.clear();
            for (int64_t g = 0; g < groups_; ++g) parts.push_back(at_.encoded_as(x, at_.value("group")));
            at_.put(ops::Split, {x, at_.integers(Dims(static_cast<size_t>(groups_), each), "sizes")}, parts, {{"axis", int64_t{1}}});
        }
        const auto range = [](int64_t first, int64_t count) {
            Dims out(static_cast<size_t>(count));
            std::iota(out.begin(), out.end(), first);
            return out;
        };
        const int64_t units = at_.type_of(w).shape.dims[1].value;
        for (int64_t g = 0; g < groups_; ++g) {
            Builder::Values in{parts[static_cast<size_t>(g)], groups_ == 1 ? w : taken(at_, w, 0, range(g * each, each))};
            if (at_.has(2)) in.push_back(groups_ == 1 ? at_.in(2) : taken(at_, at_.in(2), 0, range(g * units, units)));
            if (std::ranges::count(in, ValueId::none) > 0) return std::nullopt;
            made.push_back(at_.encoded_as(at_.node.out[0], at_.add(ops::ConvTranspose, in, attrs_)));
        }
        return groups_ == 1 ? made[0] : at_.moved(ops::Concat, made, {{"axis", int64_t{1}}});
    }

    ValueId framed(ValueId x, bool lines, bool said) {
        if (!said) {
            Dims first = spread_.window.before, last, axes;
            for (size_t i = 0; i < first.size(); ++i) {
                last.push_back(first[i] + spread_.out[i].value);
                axes.push_back(static_cast<int64_t>(i) + (lines ? 3 : 2));
            }
            x = at_.moved(ops::Slice, {x, at_.integers(first, "starts"), at_.integers(last, "ends"), at_.integers(axes, "axes")});
        }
        return lines ? at_.moved(ops::Squeeze, {x, at_.integers({2}, "axes")}) : x;
    }

    Spelling& at_;
    Spread spread_;
    int64_t groups_ = 1;
    Attrs attrs_;
};

bool conv_transpose(Spelling& at) { return Spread2d(at).run(); }

constexpr std::array table{
    ExpandRow{ops::ConvTranspose, conv_transpose},
    ExpandRow{ops::Einsum, einsum},
    ExpandRow{ops::Gemm, gemm},
    ExpandRow{ops::MatMul, matmul},
};

}  // namespace

std::span<const ExpandRow> expand_product_rows() { return table; }

}  // namespace quern::tflite_format
