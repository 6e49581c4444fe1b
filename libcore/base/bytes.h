// Bytes: an immutable, shared run of memory, on the heap or in a mapped file. Copying one copies a pointer.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace quern {

class Bytes {
   public:
    Bytes() = default;
    // A view of [data, data + size) that keeps `owner` alive. `mapped` says that the pages belong to a file mapping.
    Bytes(std::shared_ptr<const void> owner, const std::byte* data, size_t size, bool mapped = false)
        : owner_(std::move(owner)), data_(data), size_(size), mapped_(mapped) {}

    static Bytes own(std::vector<std::byte> bytes);
    static Bytes copy(const void* data, size_t size);
    // Memory that outlives every user of the result (literals, arenas): nothing is kept alive.
    static Bytes borrow(const void* data, size_t size) { return {nullptr, static_cast<const std::byte*>(data), size}; }
    template <class T>
    static Bytes copy_of(std::span<const T> items) {
        return copy(items.data(), items.size_bytes());
    }

    const std::byte* data() const { return data_; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool mapped() const { return mapped_; }
    std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }
    std::span<const std::byte> span() const { return {data_, size_}; }

    // The bytes [offset, offset + size) of this run, sharing its owner. The range must lie inside.
    Bytes slice(size_t offset, size_t size) const;

    // Tells the kernel that the pages of a mapped run are not needed for now: resident memory falls, a later read
    // faults them in again. Does nothing for heap memory.
    void release() const;

   private:
    std::shared_ptr<const void> owner_;
    const std::byte* data_ = nullptr;
    size_t size_ = 0;
    bool mapped_ = false;
};

// Uninitialised heap memory, 64-byte aligned, that turns into Bytes when filled.
class MutableBytes {
   public:
    explicit MutableBytes(size_t size);
    std::byte* data() { return data_.get(); }
    size_t size() const { return size_; }
    Bytes freeze() && { return {data_, data_.get(), size_}; }

   private:
    std::shared_ptr<std::byte[]> data_;
    size_t size_;
};

}  // namespace quern
