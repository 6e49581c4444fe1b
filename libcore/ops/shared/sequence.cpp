#include "libcore/ops/shared/sequence.h"

#include <cstring>

namespace quern {
namespace {

constexpr size_t max_items = 1'000'000, alignment = 64;

size_t aligned_up(size_t at) { return (at + alignment - 1) / alignment * alignment; }

// Reads the words at the front.
class Words {
   public:
    explicit Words(const Bytes& bytes) : bytes_(bytes) {}
    int64_t next() {
        int64_t word = 0;
        if (bytes_.size() - at_ < sizeof word) throw bad_input("a sequence of {} bytes is cut off", bytes_.size());
        std::memcpy(&word, bytes_.data() + at_, sizeof word);
        at_ += sizeof word;
        return word;
    }
    size_t at() const { return at_; }

   private:
    const Bytes& bytes_;
    size_t at_ = 0;
};

}  // namespace

bool is_sequence(const Tensor& value) { return value.dtype == DType::u8 && value.dims.size() == 1 && value.dims[0] == -1; }

Tensor sequence_of(std::span<const Tensor> items) {
    if (items.size() > max_items) throw unsupported("a sequence of {} tensors, more than {}", items.size(), max_items);
    std::vector<int64_t> head{static_cast<int64_t>(items.size())};
    for (const Tensor& item : items) {
        if (!item.defined()) throw unsupported("a sequence with an empty optional in it");
        head.insert(head.end(),
                    {static_cast<int64_t>(item.dtype), static_cast<int64_t>(item.dims.size()), static_cast<int64_t>(item.data.size())});
        head.insert(head.end(), item.dims.begin(), item.dims.end());
    }
    size_t size = aligned_up(head.size() * sizeof(int64_t));
    for (const Tensor& item : items) size += aligned_up(item.data.size());
    MutableBytes bytes(size);
    std::memset(bytes.data(), 0, size);
    std::memcpy(bytes.data(), head.data(), head.size() * sizeof(int64_t));
    size_t at = aligned_up(head.size() * sizeof(int64_t));
    for (const Tensor& item : items) {
        if (!item.data.empty()) std::memcpy(bytes.data() + at, item.data.data(), item.data.size());
        at += aligned_up(item.data.size());
    }
    return {DType::u8, {-1}, std::move(bytes).freeze()};
}

std::vector<Tensor> items_of(const Tensor& sequence) {
    if (!is_sequence(sequence)) throw bad_input("is {} {}, need a sequence", name_of(sequence.dtype), to_string(sequence.dims));
    Words words(sequence.data);
    const int64_t count = words.next();
    std::vector<Tensor> items;
    std::vector<size_t> sizes;
    for (int64_t i = 0; i < count; ++i) {
        Tensor& item = items.emplace_back();
        item.dtype = static_cast<DType>(words.next());
        item.dims.resize(static_cast<size_t>(words.next()));
        sizes.push_back(static_cast<size_t>(words.next()));
        for (int64_t& dim : item.dims) dim = words.next();
    }
    size_t at = aligned_up(words.at());
    for (size_t i = 0; i < items.size(); ++i) {
        items[i].data = sequence.data.slice(at, sizes[i]);
        at += aligned_up(sizes[i]);
    }
    return items;
}

}  // namespace quern
