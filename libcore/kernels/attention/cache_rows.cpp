// TensorScatter: new rows go into the cache where it lies, if nobody else needs what it was. Rows that come as [batch, length, heads *
// size] through a Reshape and a Transpose are taken from where they are.
#include "libcore/ops/shared/cache_rows.h"

#include <cstring>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/attention/rows.h"

namespace quern::attention {
namespace {

class CacheRowsKernel : public Kernel {
   public:
    // Inputs of the site; packed: the rows come as [batch, length, heads * size].
    CacheRowsKernel(const NodeView& node, size_t cache, size_t update, size_t starts, bool packed)
        : rule_(node), cache_(cache), update_(update), starts_(starts), packed_(packed) {}
    std::string name() const override { return packed_ ? "cache rows of heads" : "cache rows"; }

    void run(KernelCtx& ctx) override {
        const Tensor &cache = *ctx.in(cache_), &update = *ctx.in(update_);
        const DType dtype = cache.dtype;
        if (update.dtype != dtype) throw bad_input("the cache is {}, its rows are {}", name_of(dtype), name_of(update.dtype));
        Dims dims = cache.dims;
        const Dims fresh = packed_ ? of_heads(update.dims, dims) : update.dims;
        const CacheRows rows(rule_, dims, fresh, ctx.in(starts_));
        const Buffer out = ctx.own(cache_);
        const size_t size = static_cast<size_t>(bits_of(dtype)) / 8;
        rows.each([&](size_t place, size_t source, size_t count) {
            std::byte* to = out.data.get() + place * size;
            if (packed_)
                copy_heads(fresh, update.data.data(), source, count, size, to);
            else
                std::memcpy(to, update.data.data() + source * size, count * size);
        });
        ctx.give({dtype, std::move(dims), out.freeze()});
    }

   private:
    // What a Reshape and a Transpose make of rows for this cache [batch, heads, length, size].
    static Dims of_heads(const Dims& packed, const Dims& cache) {
        if (packed.size() != 3 || cache.size() != 4 || packed[2] != cache[1] * cache[3])
            throw bad_input("rows {} do not fit into {}", to_string(packed), to_string(cache));
        return {packed[0], cache[1], packed[1], cache[3]};
    }

    // Elements [source, source + count) of [batch, heads, length, size], whole rows.
    static void copy_heads(const Dims& dims, const std::byte* from, size_t source, size_t count, size_t element, std::byte* to) {
        const auto heads = static_cast<size_t>(dims[1]), length = static_cast<size_t>(dims[2]), size = static_cast<size_t>(dims[3]);
        for (size_t row = source / size; row < (source + count) / size; ++row, to += size * element) {
            const size_t batch = row / (heads * length), head = row / length % heads;
            std::memcpy(to, from + ((batch * length + row % length) * heads + head) * size * element, size * element);
        }
    }

    CacheRowsRule rule_;
    size_t cache_, update_, starts_;
    bool packed_;
};

bool has_whole_bytes(const Site& site, ValueId id) {
    const int bits = bits_of(site.value(id).type.dtype);
    return bits != 0 && bits % 8 == 0;
}

// [batch, length, heads * size] to [batch, length, heads, size]: is the batch kept and are the last dims known?
bool splits_heads(const Site& site, const Node& reshape) {
    const Shape &from = site.value(reshape.in[0]).type.shape, &to = site.value(reshape.out[0]).type.shape;
    return from.ranked && to.ranked && from.rank() == 3 && to.rank() == 4 && same(from.dims[0], to.dims[0]) && to.dims[2].known() &&
           to.dims[3].known() && has_whole_bytes(site, reshape.in[0]);
}

}  // namespace

bool absorbs_cache_rows(const Site& site, const Node& next) {
    if (!splits_heads(site, site.first())) return false;
    if (site.nodes.size() == 1) return next.is(ops::Transpose) && NodeView(next).integers("perm") == std::vector<int64_t>{0, 2, 1, 3};
    if (site.nodes.size() > 2 || !next.is(ops::TensorScatter) || next.in[1] != site.out()) return false;
    const Shape &cache = site.value(next.in[0]).type.shape, &rows = site.value(site.first().out[0]).type.shape;
    const auto axis = NodeView(next).integer("axis");
    return cache.ranked && cache.rank() == 4 && (axis == -2 || axis == 2) && same(cache.dims[1], rows.dims[2]) &&
           same(cache.dims[3], rows.dims[3]);
}

// Behind a Reshape the site has its input and shape, then the cache and the write indices.
std::unique_ptr<Kernel> make_cache_rows(const Site& site, std::string& refusal) {
    if (site.first().is(ops::TensorScatter)) {
        if (!has_whole_bytes(site, site.first().in[0])) return refusal = "its elements are not whole bytes", nullptr;
        return std::make_unique<CacheRowsKernel>(NodeView(site.first()), 0, 1, 2, false);
    }
    if (site.nodes.size() != 3) return nullptr;
    return std::make_unique<CacheRowsKernel>(NodeView(site.last()), 2, 0, 3, true);
}

}  // namespace quern::attention
