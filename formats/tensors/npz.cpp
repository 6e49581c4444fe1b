#include "formats/tensors/npz.h"

#include <algorithm>

#include "libcore/base/memory_limit.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

void put(std::string& to, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) to += static_cast<char>(i < sizeof value ? value >> (8 * i) & 0xff : 0);
}

Error other_size(const NpyArray& array, uint64_t size) {
    return bad_input("ZIP member claims {} bytes, its array {} takes {}", size, to_string(array.dims), array.header_size + array.data_size);
}

// The header of the array inside says how much there may be.
void check_size(const Bytes& head, uint64_t size) {
    const NpyArray array = parse_npy_header(head.text(), size);
    if (array.header_size + array.data_size != size) throw other_size(array, size);
}

}  // namespace

Npz::Npz(Bytes bytes) : zip_(std::move(bytes)) {
    for (const ZipArchive::Member& member : zip_.members()) {
        std::string name = member.name;
        if (name.ends_with(".npy")) name.resize(name.size() - 4);
        names_.push_back(std::move(name));
    }
}

Tensor Npz::array(size_t index) const {
    const ZipArchive::Member& member = zip_.members().at(index);
    return at_place(fmt::format("array \"{}\"", escape(names_[index])), [&] {
        const Bytes data = zip_.data_of(member, check_size);
        if (crc32_of(data) != member.crc) throw bad_input("checksum differs: the file is damaged");
        return parse_npy(data);
    });
}

NpzRows::NpzRows(const Npz& npz, size_t index) : name_(npz.names_.at(index)) {
    constexpr uint64_t head_size = (1 << 20) + 64;  // holds the header of any array
    const ZipArchive::Member& member = npz.zip_.members()[index];
    at_place(fmt::format("array \"{}\"", escape(name_)), [&] {
        stream_ = std::make_unique<ZipStream>(npz.zip_, member);
        array_ = parse_npy_header(stream_->read(0, std::min(head_size, member.size)).text(), member.size);
        if (array_.header_size + array_.data_size != member.size) throw other_size(array_, member.size);
    });
}

Tensor NpzRows::read(uint64_t part, uint64_t parts, const Dims& dims) {
    const std::scoped_lock lock(mutex_);
    return at_place(fmt::format("array \"{}\"", escape(name_)), [&]() -> Tensor {
        const uint64_t size = array_.data_size / parts;
        if (size == 0) return {array_.dtype, dims, Bytes()};
        if (array_.fortran_order && parts > 1) {
            need_memory(2 * array_.data_size, "an array in column-major order");
            if (!whole_.defined()) whole_ = npy_tensor(array_, stream_->read(array_.header_size, array_.data_size));
            return {array_.dtype, dims, whole_.data.slice(part * size, size)};
        }
        need_memory(size, fmt::format("a row {}", to_string(dims)));
        NpyArray row = array_;
        if (parts > 1) row.dims = dims;
        Tensor tensor = npy_tensor(row, stream_->read(array_.header_size + part * size, size));
        tensor.dims = dims;
        return tensor;
    });
}

void NpzWriter::add(const std::string& name, const Tensor& tensor) {
    const std::string header = npy_header(tensor.dtype, tensor.dims);
    const uint32_t crc = crc32_of(tensor.data, crc32_of(Bytes::borrow(header.data(), header.size())));
    const Entry entry{name + ".npy", file_.position(), header.size() + tensor.data.size(), crc};
    const bool large = entry.size >= zip_in_64;
    std::string local;
    put(local, zip_local_signature, 4);
    put(local, large ? 45 : 20, 2);
    put(local, 0x0800, 2);  // names are UTF-8
    put(local, 0, 2);
    put(local, 0x00210000, 4);  // 1980-01-01
    put(local, crc, 4);
    put(local, large ? zip_in_64 : entry.size, 4);
    put(local, large ? zip_in_64 : entry.size, 4);
    put(local, entry.name.size(), 2);
    put(local, large ? 20 : 0, 2);
    local += entry.name;
    if (large) {
        put(local, 1, 2);
        put(local, 16, 2);
        put(local, entry.size, 8);
        put(local, entry.size, 8);
    }
    file_.write(local);
    file_.write(header);
    file_.write(tensor.data);
    entries_.push_back(entry);
}

void NpzWriter::finish() {
    const uint64_t start = file_.position();
    for (const Entry& entry : entries_) {
        const bool large = entry.size >= zip_in_64, far = entry.offset >= zip_in_64;
        std::string extra;
        if (large) put(extra, entry.size, 8), put(extra, entry.size, 8);
        if (far) put(extra, entry.offset, 8);
        std::string central;
        put(central, zip_central_signature, 4);
        put(central, 45, 2);
        put(central, 45, 2);
        put(central, 0x0800, 2);
        put(central, 0, 2);
        put(central, 0x00210000, 4);
        put(central, entry.crc, 4);
        put(central, large ? zip_in_64 : entry.size, 4);
        put(central, large ? zip_in_64 : entry.size, 4);
        put(central, entry.name.size(), 2);
        put(central, extra.empty() ? 0 : extra.size() + 4, 2);
        put(central, 0, 2 + 2 + 2 + 4);  // comment, disk, attributes
        put(central, far ? zip_in_64 : entry.offset, 4);
        central += entry.name;
        if (!extra.empty()) put(central, 1, 2), put(central, extra.size(), 2);
        file_.write(central + extra);
    }
    const uint64_t end = file_.position(), size = end - start, count = entries_.size();
    std::string tail;
    if (count > 0xfffe || start >= zip_in_64 || size >= zip_in_64) {
        put(tail, zip_end64_signature, 4);
        put(tail, 44, 8);
        put(tail, 45, 2);
        put(tail, 45, 2);
        put(tail, 0, 8);
        for (const uint64_t field : {count, count, size, start}) put(tail, field, 8);
        put(tail, zip_locator64_signature, 4);
        put(tail, 0, 4);
        put(tail, end, 8);
        put(tail, 1, 4);
    }
    put(tail, zip_end_signature, 4);
    put(tail, 0, 4);
    put(tail, std::min<uint64_t>(count, 0xffff), 2);
    put(tail, std::min<uint64_t>(count, 0xffff), 2);
    put(tail, std::min<uint64_t>(size, zip_in_64), 4);
    put(tail, std::min<uint64_t>(start, zip_in_64), 4);
    put(tail, 0, 2);
    file_.write(tail);
}

}  // namespace quern
