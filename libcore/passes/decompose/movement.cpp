#include "libcore/passes/decompose/movement.h"

#include <algorithm>
#include <numeric>

#include "libcore/base/error.h"

namespace quern::decompose {
namespace {

using Values = std::vector<ValueId>;

Dims counted_to(size_t count) {
    Dims order(count);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

bool all_zero(const Dims& items) {
    return std::ranges::all_of(items, [](int64_t item) { return item == 0; });
}

// ---- entries of a strided slice ----

bool bit(int64_t mask, size_t i) { return (mask >> i) & 1; }

struct SliceSpec {
    struct Cut {
        size_t entry;
        int64_t axis;                   // of the data
        bool from_first, to_last, one;  // where its begin and its end do not count; it takes the one element at its begin
    };
    std::vector<Cut> cuts;
    Dims dropped;  // dims of the data that are left out after cutting one element
    Dims made;     // dims of the result that are new, of length 1
};

SliceSpec slice_spec(const SliceMasks& masks, size_t count, int64_t rank) {
    if (count > 32) throw bad_input("a slice of {} entries", count);
    int64_t named = 0, ellipses = 0;
    for (size_t i = 0; i < count; ++i) {
        if (bit(masks.ellipsis, i))
            ++ellipses;
        else if (!bit(masks.new_axis, i))
            ++named;
    }
    if (ellipses > 1) throw bad_input("a slice with {} ellipses", ellipses);
    if (named > rank) throw bad_input("cuts more dimensions than {}", rank);
    SliceSpec spec;
    int64_t axis = 0, made = 0;
    for (size_t i = 0; i < count; ++i) {
        if (bit(masks.ellipsis, i)) {
            axis += rank - named;
            made += rank - named;
        } else if (bit(masks.new_axis, i)) {
            spec.made.push_back(made++);
        } else {
            const bool one = bit(masks.shrink, i);
            spec.cuts.push_back({i, axis, bit(masks.begin, i), bit(masks.end, i), one});
            if (one)
                spec.dropped.push_back(axis);
            else
                ++made;
            ++axis;
        }
    }
    return spec;
}

// A bound of a cut: a number, or a value of rank 1 with one element.
struct Place {
    std::optional<int64_t> known;
    ValueId value = ValueId::none;
};

// Bounds entry by entry.
class Bounds {
   public:
    Bounds(Builder& to, const Numbers& numbers) : to_(to), numbers_(numbers) {}
    Place at(size_t entry) {
        if (numbers_.known) return {numbers_.known->at(entry)};
        if (whole_ == ValueId::none) whole_ = numbers_.value();
        const auto from = static_cast<int64_t>(entry);
        return {std::nullopt, cut({&to_, whole_}, from, from + 1, 0)};
    }

   private:
    Builder& to_;
    const Numbers& numbers_;
    ValueId whole_ = ValueId::none;
};

ValueId together(Builder& to, const std::vector<Place>& places) {
    Dims known;
    Values parts;
    for (const Place& place : places)
        if (place.known) known.push_back(*place.known);
    if (known.size() == places.size()) return to.integers(known);
    for (const Place& place : places) parts.push_back(place.known ? to.integers({*place.known}) : place.value);
    return parts.size() == 1 ? parts[0] : to.add(ops::Concat, parts, {{"axis", int64_t{0}}});
}

// Behind the one element at `begin`.
Place next_of(Builder& to, const Place& begin) {
    if (begin.known) return {*begin.known == -1 || *begin.known == furthest ? furthest : *begin.known + 1};
    const ValueId last = to.add(ops::Equal, {begin.value, to.integers({-1})}), next = to.add(ops::Add, {begin.value, to.integers({1})});
    return {std::nullopt, to.add(ops::Where, {last, to.integers({furthest}), next})};
}

Term cut_by(const Term& x, const SliceSpec& spec, Bounds begins, Bounds ends, const Dims& strides, bool lengths) {
    std::vector<Place> starts, stops;
    Dims axes, steps;
    for (const SliceSpec::Cut& own : spec.cuts) {
        const int64_t step = own.one ? 1 : strides[own.entry];
        if (strides[own.entry] == 0) throw bad_input("has a stride of 0");
        const Place start = own.from_first ? Place{step > 0 ? 0 : furthest} : begins.at(own.entry);
        Place stop = own.one ? next_of(*x.to, start) : own.to_last ? Place{step > 0 ? furthest : -furthest} : ends.at(own.entry);
        if (lengths && !own.one && !own.to_last) *stop.known += *begins.at(own.entry).known;
        if (step == 1 && start.known == 0 && stop.known == furthest) continue;
        starts.push_back(start);
        stops.push_back(stop);
        axes.push_back(own.axis);
        steps.push_back(step);
    }
    if (axes.empty()) return x;
    Values in{x, together(*x.to, starts), together(*x.to, stops), x.to->integers(axes, "axes")};
    if (std::ranges::any_of(steps, [](int64_t step) { return step != 1; })) in.push_back(x.to->integers(steps, "steps"));
    return {x.to, x.to->add(ops::Slice, in)};
}

// ---- blocks ----

// Dims behind the first, which is all that is known of them where others have to be; -1 in its place.
std::optional<Dims> behind_batch(const Dims& dims, size_t blocks, size_t frame) {
    if (blocks >= dims.size() || frame != 2 * blocks)
        throw bad_input("{} blocks and {} pads or crops for rank {}", blocks, frame, dims.size());
    if (std::any_of(dims.begin() + 1, dims.end(), [](int64_t dim) { return dim < 0; })) return std::nullopt;
    Dims all = dims;
    all[0] = -1;
    return all;
}

bool below_limit(std::initializer_list<int64_t> items) {
    return std::ranges::all_of(items, [](int64_t item) { return item >= 0 && item <= INT32_MAX; });
}

}  // namespace

// ---- order ----

Dims last_two_swapped(size_t rank) {
    Dims order = counted_to(rank);
    if (rank > 1) std::swap(order[rank - 1], order[rank - 2]);
    return order;
}

Term reversed(const Term& x, const Dims& axes) {
    Builder& to = *x.to;
    const Dims back(axes.size(), -1), ends(axes.size(), -furthest);
    const Values bounds{to.integers(back, "starts"), to.integers(ends, "ends"), to.integers(axes, "axes"), to.integers(back, "steps")};
    return {&to, to.add(ops::Slice, {x, bounds[0], bounds[1], bounds[2], bounds[3]})};
}

// The operator has the batch and the time as the first two dims.
Term reverse_sequence(const Term& x, size_t rank, const Term& lengths, int64_t time, int64_t batch) {
    if (time == batch) throw bad_input("seq_dim and batch_dim are {}", time);
    if (time + batch == 1) return of(ops::ReverseSequence, x, lengths, {{"time_axis", time}, {"batch_axis", batch}});
    Dims order{batch, time}, back(rank);
    for (const int64_t axis : counted_to(rank))
        if (axis != time && axis != batch) order.push_back(axis);
    for (size_t i = 0; i < rank; ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    return transposed(reverse_sequence(transposed(x, order), rank, lengths, 1, 0), back);
}

Term rolled(const Term& x, int64_t shift, int64_t axis, int64_t length) {
    const int64_t last = length == 0 ? 0 : (shift % length + length) % length;  // which come in front
    if (last == 0) return x;
    const Term front = cut(x, length - last, furthest, axis);
    return of(ops::Concat, front, cut(x, 0, length - last, axis), {{"axis", axis}});
}

// ---- parts ----

Term slice_of_sizes(const Term& x, const Numbers& starts, const Numbers& sizes) {
    Builder& to = *x.to;
    const auto sized = [&](ValueId from, ValueId ends) { return Term{&to, to.add(ops::Slice, {x, from, ends})}; };
    if (starts.known && sizes.known) {
        if (starts.known->size() != sizes.known->size())
            throw bad_input("has {} starts and {} sizes", starts.known->size(), sizes.known->size());
        Dims ends;
        for (size_t i = 0; i < sizes.known->size(); ++i) {
            const int64_t start = (*starts.known)[i], size = (*sizes.known)[i];
            if (start < 0 || size < -1) throw bad_input("starts are {}, sizes {}", to_string(*starts.known), to_string(*sizes.known));
            ends.push_back(size < 0 || size > furthest - start ? furthest : start + size);
        }
        return sized(to.integers(*starts.known, "starts"), to.integers(ends, "ends"));
    }
    const auto open = [](int64_t size) { return size < 0; };
    const ValueId from = starts.value();
    if (sizes.known && std::ranges::all_of(*sizes.known, open))
        return sized(from, to.integers(Dims(sizes.known->size(), furthest), "ends"));
    const Term size{&to, sizes.value()}, ends = Term{&to, from} + size;
    if (sizes.known && std::ranges::none_of(*sizes.known, open)) return sized(from, ends);
    const Term none{&to, to.integers({0}, "none")}, all{&to, to.integers({furthest}, "furthest")};
    return sized(from, where(size < none, all, ends));
}

Term strided_slice(const Term& x, size_t rank, const SliceMasks& masks, const Numbers& begin, const Numbers& end, const Dims& strides,
                   bool lengths) {
    const size_t count = strides.size(), begins = begin.known.value_or(strides).size(), ends = end.known.value_or(strides).size();
    if (begins != count || ends != count) throw bad_input("has {} begins, {} ends, {} strides", begins, ends, count);
    const SliceSpec spec = slice_spec(masks, count, static_cast<int64_t>(rank));
    Term made = cut_by(x, spec, {*x.to, begin}, {*x.to, end}, strides, lengths);
    if (!spec.dropped.empty()) made = squeezed(made, spec.dropped);
    return spec.made.empty() ? made : unsqueezed(made, spec.made);
}

Term stacked(Builder& to, const Values& parts, int64_t axis) {
    const ValueId axes = to.integers({axis}, "axes");
    Values made;
    for (const ValueId part : parts) made.push_back(to.add(ops::Unsqueeze, {part, axes}));
    return {&to, to.add(ops::Concat, made, {{"axis", axis}})};
}

Values unstacked(const Term& x, size_t count, int64_t axis) {
    const ValueId axes = x.to->integers({axis}, "axes");
    Values parts = x.to->add_several(ops::Split, {x}, count, {{"axis", axis}, {"num_outputs", static_cast<int64_t>(count)}});
    for (ValueId& part : parts) part = x.to->add(ops::Squeeze, {part, axes});
    return parts;
}

std::optional<Dims> part_sizes(Dims sizes, const std::function<int64_t()>& length) {
    const auto open = std::ranges::find(sizes, -1);
    if (open == sizes.end()) return sizes;
    const int64_t all = length();
    if (all < 0) return std::nullopt;
    int64_t rest = all;
    for (const int64_t size : sizes) {
        if (size > rest || size < -1) throw bad_input("splits {} into {}", all, to_string(sizes));
        rest -= std::max<int64_t>(size, 0);
    }
    *open = rest;
    return sizes;
}

// ---- frames ----

Term pads_of(Builder& to, const Numbers& pairs) {
    if (!pairs.known) return reshaped(transposed({&to, pairs.value()}, {1, 0}), {-1});
    const size_t rank = pairs.known->size() / 2;
    Dims pads(2 * rank);
    for (size_t i = 0; i < 2 * rank; ++i) pads[i / 2 + (i % 2) * rank] = (*pairs.known)[i];
    return {&to, to.integers(pads, "pads")};
}

// Elements are taken by their places: ONNX has no such mode.
std::optional<Term> mirrored(const Term& x, const Dims& dims, const Dims& pairs) {
    if (pairs.size() != 2 * dims.size()) throw bad_input("{} pads for rank {}", pairs.size(), dims.size());
    std::vector<std::pair<int64_t, Dims>> takes;
    for (size_t d = 0; d < dims.size(); ++d) {
        const int64_t before = pairs[2 * d], after = pairs[2 * d + 1], length = dims[d];
        if (before == 0 && after == 0) continue;
        if (length < 0 || length > int64_t{1} << 22) return std::nullopt;
        if (before < 0 || after < 0 || before > length || after > length)
            throw bad_input("{} and {} elements around {}", before, after, length);
        Dims places;
        for (int64_t i = before; i-- > 0;) places.push_back(i);
        for (int64_t i = 0; i < length; ++i) places.push_back(i);
        for (int64_t i = 0; i < after; ++i) places.push_back(length - 1 - i);
        takes.emplace_back(static_cast<int64_t>(d), places);
    }
    Term made = x;
    for (const auto& [axis, places] : takes)
        made = {x.to, x.to->add(ops::Gather, {made, x.to->integers(places, "places")}, {{"axis", axis}})};
    return made;
}

// ---- blocks ----

Term regrouped(const Term& x, const Dims& apart, const Dims& order, const Dims& together) {
    return reshaped(transposed(reshaped(x, apart), order), together);
}

std::optional<Term> space_to_batch(const Term& x, const Dims& dims, const Dims& block, const Dims& pads) {
    auto together = behind_batch(dims, block.size(), pads.size());
    if (!together) return std::nullopt;
    const size_t m = block.size(), rank = dims.size();
    Dims frame(2 * rank, 0), apart{-1}, order, inner;
    for (size_t i = 0; i < m; ++i) {
        const int64_t b = block[i], before = pads[2 * i], after = pads[2 * i + 1];
        if (b < 1 || !below_limit({before, after}) || (dims[i + 1] + before + after) % b != 0)
            throw bad_input("a dimension of {} with pads {} and {} in blocks of {}", dims[i + 1], before, after, b);
        frame[i + 1] = before;
        frame[rank + i + 1] = after;
        (*together)[i + 1] = (dims[i + 1] + before + after) / b;
        apart.insert(apart.end(), {(*together)[i + 1], b});
        order.push_back(static_cast<int64_t>(2 * i + 2));
        inner.push_back(static_cast<int64_t>(2 * i + 1));
    }
    order.push_back(0);
    for (size_t i = m + 1; i < rank; ++i) {
        inner.push_back(static_cast<int64_t>(apart.size()));
        apart.push_back(dims[i]);
    }
    order.insert(order.end(), inner.begin(), inner.end());
    const Term framed = all_zero(pads) ? x : Term{x.to, x.to->add(ops::Pad, {x, x.to->integers(frame, "pads")})};
    return regrouped(framed, apart, order, *together);
}

std::optional<Term> batch_to_space(const Term& x, const Dims& dims, const Dims& block, const Dims& crops) {
    auto together = behind_batch(dims, block.size(), crops.size());
    if (!together) return std::nullopt;
    const auto m = static_cast<int64_t>(block.size()), rank = static_cast<int64_t>(dims.size());
    Dims apart = block, order{m}, starts, ends;
    for (size_t i = 0; i < block.size(); ++i) {
        const int64_t b = block[i], own = dims[i + 1], before = crops[2 * i], after = crops[2 * i + 1];
        if (b < 1 || !below_limit({b, own, before, after}) || before + after > own * b)
            throw bad_input("crops {} and {} of {} blocks of {}", before, after, own, b);
        (*together)[i + 1] = own * b;
        order.insert(order.end(), {m + 1 + static_cast<int64_t>(i), static_cast<int64_t>(i)});
        starts.push_back(before);
        ends.push_back(own * b - after);
    }
    apart.push_back(-1);
    apart.insert(apart.end(), dims.begin() + 1, dims.end());
    for (int64_t i = m + 1; i < rank; ++i) order.push_back(m + i);
    const Term whole = regrouped(x, apart, order, *together);
    if (all_zero(crops)) return whole;
    Builder& to = *x.to;
    Dims axes = counted_to(block.size() + 1);
    axes.erase(axes.begin());
    return Term{&to, to.add(ops::Slice, {whole, to.integers(starts, "starts"), to.integers(ends, "ends"), to.integers(axes, "axes")})};
}

Term channels_and_space(OpId op, const Term& x, const Dims& dims, int64_t b, bool channels_last) {
    const bool to_depth = op == ops::SpaceToDepth;
    if (dims.size() != 4) throw bad_input("works on rank {}, need 4", dims.size());
    if (b < 1 || b > 1 << 15) throw bad_input("has blocks of {}", b);
    Attrs attrs{{"blocksize", b}};
    if (!to_depth) attrs["mode"] = std::string("DCR");
    if (!channels_last) return of(op, x, attrs);
    const int64_t h = dims[1], w = dims[2], c = dims[3];
    if (h < 0 || w < 0 || c < 0) return transposed(of(op, transposed(x, {0, 3, 1, 2}), attrs), {0, 2, 3, 1});
    if (to_depth ? h % b != 0 || w % b != 0 : c % (b * b) != 0) throw bad_input("{} x {} x {} in blocks of {}", h, w, c, b);
    const Dims order{0, 1, 3, 2, 4, 5};
    return to_depth ? regrouped(x, {-1, h / b, b, w / b, b, c}, order, {-1, h / b, w / b, b * b * c})
                    : regrouped(x, {-1, h, w, b, b, c / (b * b)}, order, {-1, h * b, w * b, c / (b * b)});
}

}  // namespace quern::decompose
