#include "libcore/kernels/onednn/weights.h"

#include <cstring>

namespace quern::onednn {
namespace {

// A blocked layout as numbers: rank; of each dim its padded length and its stride; the number of inner blocks; of each its length and dim.
constexpr int64_t max_blocks = 8, max_block = 256;

// Numbers of an array, in order.
class Numbers {
   public:
    explicit Numbers(const Bytes& bytes) : items_(bytes.size() / sizeof(int64_t)) {
        std::memcpy(items_.data(), bytes.data(), items_.size() * sizeof(int64_t));
    }
    int64_t next(int64_t min, int64_t max) {
        const int64_t item = at_ < items_.size() ? items_[at_++] : min - 1;
        if (item < min || item > max) throw bad_input("a layout of weights is broken");
        return item;
    }

   private:
    std::vector<int64_t> items_;
    size_t at_ = 0;
};

Bytes layout_bytes(const Blocked& blocked) {
    std::vector<int64_t> items{static_cast<int64_t>(blocked.dims.size())};
    for (size_t i = 0; i < blocked.dims.size(); ++i) {
        items.push_back(blocked.padded[i]);
        items.push_back(blocked.strides[i]);
    }
    items.push_back(static_cast<int64_t>(blocked.blocks.size()));
    for (size_t i = 0; i < blocked.blocks.size(); ++i) {
        items.push_back(blocked.blocks[i]);
        items.push_back(blocked.block_dims[i]);
    }
    return Bytes::copy_of(std::span<const int64_t>(items));
}

Blocked read_layout(const Bytes& bytes, const Dims& dims, int64_t count) {
    Numbers numbers(bytes);
    Blocked blocked{dims, {}, {}, {}, {}};
    const auto rank = static_cast<size_t>(numbers.next(1, DNNL_MAX_NDIMS));
    if (rank != dims.size()) throw bad_input("a layout of weights has {} dims, need {}", rank, dims.size());
    for (const int64_t dim : dims) {
        blocked.padded.push_back(numbers.next(std::max<int64_t>(dim, 1), count));
        blocked.strides.push_back(numbers.next(1, count));
    }
    for (int64_t left = numbers.next(0, max_blocks); left > 0; --left) {
        blocked.blocks.push_back(numbers.next(1, max_block));
        blocked.block_dims.push_back(numbers.next(0, static_cast<int64_t>(rank) - 1));
    }
    return blocked;
}

// Every element of the layout lies inside `count` elements, and their number is that.
void check_layout(const Blocked& blocked, int64_t count) {
    std::vector<int64_t> block(blocked.dims.size(), 1);
    int64_t inner = 1;
    for (size_t i = 0; i < blocked.blocks.size(); ++i) {
        block[static_cast<size_t>(blocked.block_dims[i])] *= blocked.blocks[i];
        inner *= blocked.blocks[i];
        if (inner > count) throw bad_input("a layout of weights is larger than its elements");
    }
    int64_t total = 1, last = inner - 1;
    for (size_t i = 0; i < blocked.dims.size(); ++i) {
        const int64_t b = block[i], padded = blocked.padded[i];
        if (padded != (blocked.dims[i] + b - 1) / b * b || total > count / padded)
            throw bad_input("a layout of weights does not fit its dims");
        total *= padded;
        if (padded / b > 1 && blocked.strides[i] > (count - 1 - last) / (padded / b - 1))
            throw bad_input("a layout of weights leaves its elements");
        last += (padded / b - 1) * blocked.strides[i];
    }
    if (total != count) throw bad_input("weights have {} elements, need {}", count, total);
}

dnnl::memory::desc layout_from(const Bytes& bytes, const Dims& dims, size_t size) {
    if (size % sizeof(float) != 0) throw bad_input("weights have {} bytes, need a multiple of 4", size);
    const auto count = static_cast<int64_t>(size / sizeof(float));
    const Blocked blocked = read_layout(bytes, dims, count);
    check_layout(blocked, count);
    const auto desc = desc_of(blocked);
    if (!desc) throw unsupported("weights lie as another oneDNN had them: make the context again with this one");
    return *desc;
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
    const bool turned = want != desc_, kept = !turned || blocked_of(want).has_value();
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

std::vector<Bytes> Weights::state() const { return {layout_bytes(blocked_of(desc_).value()), data()}; }

}  // namespace quern::onednn
