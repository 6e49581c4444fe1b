// Sparse tensors: dimensions are walked in a given order, inner blocks last, each dense (every coordinate) or in compressed rows (a
// segment of coordinates for every position before). What is not named is 0.
#include <algorithm>
#include <cstring>

#include "formats/tflite/file/tensors.h"

namespace quern::tflite_format {
namespace {

class Densifier {
   public:
    Densifier(const FileTensor& tensor, size_t limit) : tensor_(tensor), sparsity_(*tensor.sparsity), rank_(tensor.shape.size()) {
        const DType dtype = dtype_of(tensor.type);
        if (bits_of(dtype) < 8 || dtype == DType::string) throw unsupported("sparse {} elements", name_of(dtype));
        width_ = static_cast<size_t>(bits_of(dtype)) / 8;
        const uint64_t bytes = storage_size(dtype, static_cast<uint64_t>(count_of(tensor.shape)));
        if (bytes > limit) throw unsupported("a sparse tensor of {} bytes for {} in the file", bytes, tensor.data.size());
        check_order();
        find_lengths();
        out_.resize(bytes);
    }

    Bytes run() {
        std::vector<int64_t> at(sparsity_.order.size(), 0);
        walk(0, 0, at);
        if (next_ * width_ != tensor_.data.size())
            throw bad_input("a sparse tensor names {} elements and has {} bytes", next_, tensor_.data.size());
        return Bytes::own(std::move(out_));
    }

   private:
    void check_order() {
        const size_t levels = rank_ + sparsity_.block_map.size();
        if (sparsity_.order.size() != levels || sparsity_.dims.size() != levels)
            throw bad_input("a sparse tensor of {} dimensions and {} blocks walks {}", rank_, sparsity_.block_map.size(),
                            sparsity_.order.size());
        std::vector<bool> seen(levels);
        for (const int64_t dim : sparsity_.order) {
            if (dim < 0 || static_cast<size_t>(dim) >= levels || seen[static_cast<size_t>(dim)])
                throw bad_input("a sparse tensor's order is none");
            seen[static_cast<size_t>(dim)] = true;
        }
        for (const SparseDim& dim : sparsity_.dims)  // every position before has its own run of coordinates
            if (!dim.dense &&
                (dim.segments.empty() || dim.segments.front() != 0 || !std::is_sorted(dim.segments.begin(), dim.segments.end()) ||
                 static_cast<size_t>(dim.segments.back()) != dim.indices.size()))
                throw bad_input("a sparse tensor's segments are out of order");
        for (const int64_t dim : sparsity_.block_map)
            if (dim < 0 || static_cast<size_t>(dim) >= rank_) throw bad_input("a block of a sparse tensor is in dimension {}", dim);
    }

    // The length of every walked dimension: of a block as it says, of others what blocks leave.
    void find_lengths() {
        length_.assign(sparsity_.order.size(), 0);
        block_.assign(rank_, 1);
        for (size_t i = 0; i < sparsity_.order.size(); ++i) {
            const auto dim = static_cast<size_t>(sparsity_.order[i]);
            if (dim < rank_) continue;
            const int64_t size = sparsity_.dims[i].size;
            const auto of = static_cast<size_t>(sparsity_.block_map[dim - rank_]);
            if (!sparsity_.dims[i].dense || size < 1 || tensor_.shape[of] % size != 0 || block_[of] != 1)
                throw unsupported("a sparse tensor with blocks of {} in {}", size, tensor_.shape[of]);
            length_[i] = block_[of] = size;
        }
        for (size_t i = 0; i < sparsity_.order.size(); ++i) {
            const auto dim = static_cast<size_t>(sparsity_.order[i]);
            if (dim < rank_) length_[i] = tensor_.shape[dim] / block_[dim];
            if (sparsity_.dims[i].dense && sparsity_.dims[i].size != length_[i])
                throw bad_input("a sparse tensor's dimension {} is {} long, need {}", i, sparsity_.dims[i].size, length_[i]);
        }
    }

    // `position`: how many elements of the level before come first.
    void walk(size_t level, size_t position, std::vector<int64_t>& at) {
        if (level == sparsity_.order.size()) return put(at);
        const SparseDim& dim = sparsity_.dims[level];
        if (dim.dense) {
            for (at[level] = 0; at[level] < length_[level]; ++at[level])
                walk(level + 1, position * static_cast<size_t>(length_[level]) + static_cast<size_t>(at[level]), at);
            return;
        }
        if (position + 1 >= dim.segments.size()) throw bad_input("a sparse tensor has no segment {}", position);
        for (int64_t i = dim.segments[position]; i < dim.segments[position + 1]; ++i) {
            at[level] = dim.indices[static_cast<size_t>(i)];
            if (at[level] < 0 || at[level] >= length_[level]) throw bad_input("a sparse tensor's coordinate {} is outside", at[level]);
            walk(level + 1, static_cast<size_t>(i), at);
        }
    }

    void put(const std::vector<int64_t>& at) {
        if ((next_ + 1) * width_ > tensor_.data.size()) throw bad_input("a sparse tensor has only {} bytes", tensor_.data.size());
        std::vector<int64_t> place(rank_, 0);
        for (size_t i = 0; i < at.size(); ++i) {
            const auto dim = static_cast<size_t>(sparsity_.order[i]);
            if (dim < rank_)
                place[dim] += at[i] * block_[dim];
            else
                place[static_cast<size_t>(sparsity_.block_map[dim - rank_])] += at[i];
        }
        size_t index = 0;
        for (size_t d = 0; d < rank_; ++d) index = index * static_cast<size_t>(tensor_.shape[d]) + static_cast<size_t>(place[d]);
        std::memcpy(out_.data() + index * width_, tensor_.data.data() + next_++ * width_, width_);
    }

    const FileTensor& tensor_;
    const Sparsity& sparsity_;
    size_t rank_, width_ = 0, next_ = 0;
    std::vector<int64_t> length_, block_;
    std::vector<std::byte> out_;
};

}  // namespace

Bytes dense_bytes(const FileTensor& tensor, size_t limit) { return Densifier(tensor, limit).run(); }

}  // namespace quern::tflite_format
