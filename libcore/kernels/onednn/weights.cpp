#include "libcore/kernels/onednn/weights.h"

#include <cstring>

namespace quern::onednn {
namespace {

// A blocked layout as numbers: rank; of each dim its padded length and its stride; the number of inner blocks; of each its length and dim.
constexpr int64_t most_blocks = 8, most_block = 256;

// Numbers of an array, in order.
class Numbers {
   public:
    explicit Numbers(const Bytes& bytes) : items_(bytes.size() / sizeof(int64_t)) {
        std::memcpy(items_.data(), bytes.data(), items_.size() * sizeof(int64_t));
    }
    int64_t next(int64_t least, int64_t most) {
        const int64_t item = at_ < items_.size() ? items_[at_++] : least - 1;
        if (item < least || item > most) throw bad_input("a layout of weights is broken");
        return item;
    }

   private:
    std::vector<int64_t> items_;
    size_t at_ = 0;
};

// Is it a plain blocked layout, from which others can be made?
bool is_blocked(const dnnl::memory::desc& desc) {
    const dnnl_memory_desc_t& d = desc.data;
    return d.format_kind == dnnl_blocked && d.data_type == dnnl_f32 && d.offset0 == 0 && d.extra.flags == 0;
}

Bytes layout_bytes(const dnnl::memory::desc& desc) {
    const dnnl_memory_desc_t& d = desc.data;
    const dnnl_blocking_desc_t& blocking = d.format_desc.blocking;
    std::vector<int64_t> items{d.ndims};
    for (int i = 0; i < d.ndims; ++i) {
        items.push_back(d.padded_dims[i]);
        items.push_back(blocking.strides[i]);
    }
    items.push_back(blocking.inner_nblks);
    for (int i = 0; i < blocking.inner_nblks; ++i) {
        items.push_back(blocking.inner_blks[i]);
        items.push_back(blocking.inner_idxs[i]);
    }
    return Bytes::copy_of(std::span<const int64_t>(items));
}

// Every element of the layout lies inside `count` elements, and their number is that.
dnnl::memory::desc layout_from(const Bytes& bytes, const Dims& dims, size_t size) {
    const auto count = static_cast<int64_t>(size / sizeof(float));
    Numbers numbers(bytes);
    dnnl_memory_desc_t d{};
    d.ndims = static_cast<int>(numbers.next(1, DNNL_MAX_NDIMS));
    if (static_cast<size_t>(d.ndims) != dims.size()) throw bad_input("a layout of weights has {} dims, need {}", d.ndims, dims.size());
    d.data_type = dnnl_f32;
    d.format_kind = dnnl_blocked;
    dnnl_blocking_desc_t& blocking = d.format_desc.blocking;
    for (int i = 0; i < d.ndims; ++i) {
        d.dims[i] = dims[static_cast<size_t>(i)];
        d.padded_dims[i] = numbers.next(std::max<int64_t>(d.dims[i], 1), count);
        blocking.strides[i] = numbers.next(1, count);
    }
    blocking.inner_nblks = static_cast<int>(numbers.next(0, most_blocks));
    std::vector<int64_t> block(dims.size(), 1);
    int64_t inner = 1;
    for (int i = 0; i < blocking.inner_nblks; ++i) {
        blocking.inner_blks[i] = numbers.next(1, most_block);
        blocking.inner_idxs[i] = numbers.next(0, d.ndims - 1);
        block[static_cast<size_t>(blocking.inner_idxs[i])] *= blocking.inner_blks[i];
        inner *= blocking.inner_blks[i];
        if (inner > count) throw bad_input("a layout of weights is larger than its elements");
    }
    int64_t total = 1, last = inner - 1;
    for (int i = 0; i < d.ndims; ++i) {
        const int64_t b = block[static_cast<size_t>(i)], padded = d.padded_dims[i];
        if (padded != (d.dims[i] + b - 1) / b * b || total > count / padded) throw bad_input("a layout of weights does not fit its dims");
        total *= padded;
        if (padded / b > 1 && blocking.strides[i] > (count - 1 - last) / (padded / b - 1))
            throw bad_input("a layout of weights leaves its elements");
        last += (padded / b - 1) * blocking.strides[i];
    }
    if (total != count || size % sizeof(float) != 0) throw bad_input("weights have {} elements, need {}", count, total);
    return dnnl::memory::desc(d);
}

dnnl::memory memory_of(const dnnl::memory::desc& desc, const Bytes& bytes) {
    return {desc, engine(), const_cast<std::byte*>(bytes.data())};
}

}  // namespace

Weights::Weights(Dims dims, FloatSource source, bool transposed)
    : dims_(std::move(dims)), source_(std::move(source)), desc_(plain_desc(dims_)) {
    if (transposed) desc_ = {to_dnnl(dims_), dnnl::memory::data_type::f32, dnnl::memory::dims{1, dims_[0]}};
}

Weights::Weights(Dims dims, std::span<const Bytes> state) : dims_(std::move(dims)), stored_(true) {
    if (state.size() < 2) throw bad_input("weights are missing");
    data_ = state[1];
    desc_ = layout_from(state[0], dims_, data_.size());
}

Laid Weights::laid(const dnnl::memory::desc& want) {
    const bool turned = want != desc_, kept = !turned || is_blocked(want);
    Bytes bytes = data();
    if (turned) {
        const dnnl::memory from = memory_of(desc_, bytes);
        const Buffer buffer = new_buffer(want.get_size());
        dnnl::memory to(want, engine(), buffer.data.get());
        dnnl::reorder(from, to).execute(stream(), const_cast<dnnl::memory&>(from), to);
        stream().wait();
        bytes.release();
        bytes = buffer.freeze();
    }
    if (kept) {
        source_ = nullptr;
        data_ = bytes;
        desc_ = want;  // strides of dims of 1 may be others, which a context must say as they are wanted
    }
    return {memory_of(want, bytes), bytes};
}

std::vector<Bytes> Weights::state() const { return {layout_bytes(desc_), data()}; }

}  // namespace quern::onednn
