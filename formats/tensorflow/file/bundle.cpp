#include "formats/tensorflow/file/bundle.h"

#include <cstring>

#include "formats/tensorflow/file/crc32c.h"
#include "formats/tensorflow/file/dtypes.h"
#include "formats/tensorflow/file/sorted_table.h"
#include "formats/tensorflow/file/tensor.h"
#include "libcore/base/text.h"

namespace quern::tensorflow_format {
namespace {

// A number in the order of keys: as many ones as it has bytes, then its bits.
void put_ordered(std::string& to, int64_t value) {
    if (value == -1) {
        to += '\x7f';
        return;
    }
    unsigned size = 1;
    while (size < 8 && value >> (7 * size - 1) != 0) ++size;
    const uint64_t ones = ((uint64_t{1} << size) - 1) << (7 * size);
    const uint64_t bits = static_cast<uint64_t>(value) | ones;
    for (unsigned i = size; i-- > 0;) to += static_cast<char>(bits >> (8 * i) & 255);
}

// The key of a slice's elements.
std::string slice_key(const std::string& name, const std::vector<Extent>& slice) {
    std::string key(1, '\0');
    for (const char c : name) {
        key += c;
        if (c == '\0') key += '\xff';
        if (c == '\xff') key += '\0';
    }
    key += std::string("\0\x01", 2);
    key += '\x01';
    key += static_cast<char>(slice.size());
    for (const Extent& extent : slice) {
        put_ordered(key, extent.start);
        put_ordered(key, extent.length);
    }
    return key;
}

std::vector<Extent> read_slice(const Bytes& message) {
    std::vector<Extent> slice;
    WireReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number != 1) continue;
        Extent extent;
        WireReader part(field->message());
        while (const auto number = part.next()) {
            if (number->number == 1) extent.start = number->integer();
            if (number->number == 2) extent.length = number->integer();
        }
        slice.push_back(extent);
    }
    return slice;
}

}  // namespace

std::vector<Extent> within(const std::vector<Extent>& slice, const Dims& dims) {
    if (slice.size() != dims.size()) throw bad_input("a slice has {} dims, its tensor {}", slice.size(), to_string(dims));
    std::vector<Extent> extents = slice;
    for (size_t i = 0; i < dims.size(); ++i) {
        Extent& extent = extents[i];
        if (extent.length == -1) extent.length = dims[i] - extent.start;
        if (extent.start < 0 || extent.length < 0 || extent.start > dims[i] || extent.length > dims[i] - extent.start)
            throw bad_input("a slice takes {} from {} on of a dim of {}", extent.length, extent.start, dims[i]);
    }
    return extents;
}

void for_each_row(const Dims& dims, const std::vector<Extent>& part, const std::function<void(int64_t whole, int64_t row)>& fn) {
    const size_t rank = dims.size();
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < rank; ++i) rows *= part[i].length;
    if (rank > 0 && part.back().length == 0) return;
    for (int64_t row = 0; row < rows; ++row) {
        int64_t rest = row, at = rank == 0 ? 0 : part.back().start, stride = rank == 0 ? 1 : dims.back();
        for (size_t i = rank; i-- > 1;) {
            const Extent& extent = part[i - 1];
            at += (extent.start + rest % extent.length) * stride;
            rest /= extent.length;
            stride *= dims[i - 1];
        }
        fn(at, row);
    }
}

Bundle::Bundle(std::string prefix, Open open) : prefix_(std::move(prefix)), open_(std::move(open)) {
    const std::string name = prefix_ + ".index";
    files_.push_back(open_(name));
    at_place(name, [&] {
        for (const auto& [key, value] : read_sorted_table(files_[0])) add(key, value);
        if (shard_count_ <= 0) throw bad_input("says nothing of its shards");
    });
}

void Bundle::add(const std::string& key, const Bytes& value) {
    if (!key.empty()) {
        at_place(fmt::format("\"{}\"", escape(key)), [&] { entries_[key] = read_entry(value); });
        return;
    }
    shard_count_ = 1;
    WireReader reader(value);
    while (const auto field = reader.next()) {
        if (field->number == 1) shard_count_ = field->integer();
        if (field->number == 2 && field->integer() != 0) throw unsupported("its elements are big endian");
    }
}

Bundle::Entry Bundle::read_entry(const Bytes& message) {
    Entry entry;
    WireReader reader(message);
    while (const auto field = reader.next()) switch (field->number) {
            case 1: entry.type = field->integer(); break;
            case 2: entry.shape = read_shape(field->message()); break;
            case 3: entry.shard = field->integer(); break;
            case 4: entry.offset = field->integer(); break;
            case 5: entry.size = field->integer(); break;
            case 6: entry.crc = static_cast<uint32_t>(field->value); break;
            case 7: entry.slices.push_back(read_slice(field->message())); break;
            default: break;
        }
    return entry;
}

const Bundle::Entry& Bundle::entry(const std::string& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) throw bad_input("\"{}\" is not in {}.index", escape(key), prefix_);
    return found->second;
}

const Bytes& Bundle::shard(int64_t index) {
    if (const auto open = shards_.find(index); open != shards_.end()) return open->second;
    if (index < 0 || index >= shard_count_) throw bad_input("lies in shard {} of {}", index, shard_count_);
    files_.push_back(open_(fmt::format("{}.data-{:05}-of-{:05}", prefix_, index, shard_count_)));
    return shards_[index] = files_.back();
}

// Tensors do not share their elements.
uint64_t Bundle::most_taken() const {
    uint64_t size = 0;
    for (const auto& [index, file] : shards_) size += file.size();
    return size;
}

Tensor Bundle::stored(const Entry& entry) {
    const DType dtype = dtype_of_code(entry.type);
    if (dtype == DType::none || dtype == DType::string || bits_of(dtype) < 8) throw unsupported("a variable of {}", name_of(dtype));
    const auto dims = entry.shape.concrete();
    if (!dims) throw bad_input("has the shape {}", to_string(entry.shape));
    const uint64_t need = storage_size(dtype, static_cast<uint64_t>(count_of(*dims)));
    if (entry.size < 0 || static_cast<uint64_t>(entry.size) != need)
        throw bad_input("{} {} has {} bytes, need {}", name_of(dtype), to_string(*dims), entry.size, need);
    if (need == 0) return {dtype, *dims, {}};
    const Bytes& file = shard(entry.shard);
    if (entry.offset < 0 || static_cast<uint64_t>(entry.offset) > file.size() || need > file.size() - static_cast<uint64_t>(entry.offset))
        throw bad_input("{} bytes at offset {} of a shard of {}", need, entry.offset, file.size());
    taken_ += need;
    if (taken_ > most_taken()) throw bad_input("its tensors have more bytes than its shards");
    const Bytes elements = file.slice(static_cast<size_t>(entry.offset), need);
    const uint32_t sum = masked_crc32c(elements);
    elements.release();
    if (sum != entry.crc) throw bad_input("its checksum is {:08x}, the index says {:08x}", sum, entry.crc);
    return aligned({dtype, *dims, elements});
}

Tensor Bundle::joined(const std::string& key, const Entry& entry) {
    const DType dtype = dtype_of_code(entry.type);
    const auto dims = entry.shape.concrete();
    if (!dims || bits_of(dtype) < 8 || dtype == DType::string) throw bad_input("slices of {} {}", name_of(dtype), to_string(entry.shape));
    const uint64_t size = storage_size(dtype, static_cast<uint64_t>(count_of(*dims)));
    int64_t count = 0;
    std::vector<std::pair<std::vector<Extent>, Tensor>> parts;
    for (const auto& slice : entry.slices) {
        parts.emplace_back(within(slice, *dims), stored(this->entry(slice_key(key, slice))));
        Dims own;
        for (const Extent& extent : parts.back().first) own.push_back(extent.length);
        if (parts.back().second.dtype != dtype || parts.back().second.dims != own)
            throw bad_input("a slice {} has the shape {}", to_string(own), to_string(parts.back().second.dims));
        count += count_of(own);
    }
    if (count != count_of(*dims)) throw bad_input("its slices have {} elements, need {}", count, count_of(*dims));
    MutableBytes bytes(size);
    std::memset(bytes.data(), 0, size);  // slices that overlap leave holes
    const auto width = static_cast<size_t>(bits_of(dtype) / 8);
    for (const auto& placed : parts) {
        const auto& extents = placed.first;
        const Tensor& part = placed.second;
        const size_t run = width * static_cast<size_t>(extents.empty() ? 1 : extents.back().length);
        for_each_row(*dims, extents, [&](int64_t whole, int64_t row) {
            std::memcpy(bytes.data() + static_cast<size_t>(whole) * width, part.data.data() + static_cast<size_t>(row) * run, run);
        });
    }
    return {dtype, *dims, std::move(bytes).freeze()};
}

Tensor Bundle::read(const std::string& key) {
    const Entry& found = entry(key);
    return at_place(fmt::format("\"{}\"", escape(key)), [&] {
        if (found.slices.empty()) return stored(found);
        const auto known = joined_.find(key);  // whose parts are variables each
        return known == joined_.end() ? joined_[key] = joined(key, found) : known->second;
    });
}

}  // namespace quern::tensorflow_format
