#include "formats/gguf/file/writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "formats/gguf/file/alignment.h"
#include "formats/gguf/file/byte_order.h"
#include "formats/gguf/file/layout.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

void check_tensor(const TensorHead& head) {
    if (head.name.empty() || head.name.size() > tensor_name_limit)
        throw unsupported("the name has {} bytes, GGUF has 1 to {}", head.name.size(), tensor_name_limit);
    if (head.dims.size() > rank_limit) throw unsupported("has {} dims, GGUF has at most {}", head.dims.size(), rank_limit);
    if (std::ranges::any_of(head.dims, [](int64_t dim) { return dim < 1; })) throw unsupported("has no elements");
    const int64_t columns = head.dims.empty() ? 1 : head.dims.back();
    if (columns % head.format->elements != 0)
        throw unsupported("rows of {} elements are not whole blocks of {}, as type {} needs", columns, head.format->elements,
                          ggml_name(*head.format));
}

void check_tensors(const std::vector<TensorHead>& tensors) {
    std::set<std::string_view> names;
    for (const TensorHead& head : tensors)
        at_place([&] { return fmt::format("tensor \"{}\"", escape(head.name)); },
                 [&] {
                     check_tensor(head);
                     if (!names.insert(head.name).second) throw unsupported("the name is there twice");
                 });
}

}  // namespace

uint64_t TensorHead::bytes() const {
    int64_t elements = 1;
    for (const int64_t dim : dims) elements *= dim;
    return format->row_bytes(elements);
}

Writer::Writer(OutputFile& file, const Metadata& metadata, std::vector<TensorHead> tensors, const WriterOptions& options)
    : file_(file), tensors_(std::move(tensors)), options_(options), alignment_(alignment_of(metadata)) {
    check_tensors(tensors_);
    file_.write(magic);
    number(options_.version);
    number(uint64_t{tensors_.size()});
    number(uint64_t{metadata.entries().size()});
    for (const auto& [key, value] : metadata.entries()) {
        text(key);
        write_value(value);
    }
    const uint64_t data = write_infos();
    file_.pad_to(alignment_);
    size_ = file_.position() + data;
}

template <class T>
void Writer::number(T number) {
    std::array<std::byte, sizeof(T)> raw;
    std::memcpy(raw.data(), &number, sizeof number);
    if (options_.big_endian) std::ranges::reverse(raw);
    file_.write(raw.data(), raw.size());
}

void Writer::text(std::string_view text) {
    number(uint64_t{text.size()});
    file_.write(text);
}

void Writer::write_value(const MetaValue& value) {
    if (value.array) number(ValueType::array);
    number(value.element);
    if (value.array) number(value.count);
    if (!options_.big_endian)
        file_.write(value.data);
    else if (value.element == ValueType::string)
        for (const std::string_view item : value.texts()) text(item);
    else
        file_.write(swapped_numbers(value.data, row_of(value.element).bytes));
}

uint64_t Writer::write_infos() {
    uint64_t offset = 0;
    for (const TensorHead& head : tensors_) {
        text(head.name);
        number(static_cast<uint32_t>(head.dims.size()));
        for (size_t i = head.dims.size(); i-- > 0;) number(static_cast<uint64_t>(head.dims[i]));
        number(head.format->ggml_type);
        number(offset);
        offset = align_up(offset + head.bytes(), alignment_);
    }
    return offset;
}

void Writer::add(const Bytes& blocks) {
    const TensorHead& head = tensors_.at(next_++);
    if (blocks.size() != head.bytes()) throw bug("tensor \"{}\" has {} bytes, need {}", head.name, blocks.size(), head.bytes());
    file_.write(options_.big_endian ? swapped_blocks(blocks, *head.format) : blocks);
    file_.pad_to(alignment_);
}

void Writer::finish() {
    if (next_ != tensors_.size()) throw bug("{} of {} tensors were written", next_, tensors_.size());
}

void copy(const File& from, OutputFile& to, const WriterOptions& options) {
    Metadata metadata;
    for (const auto& [key, value] : from.metadata.entries())
        if (!key.starts_with(split_prefix)) metadata.add(key, value);
    std::vector<TensorHead> heads;
    heads.reserve(from.tensors.size());
    for (const TensorInfo& info : from.tensors) heads.push_back({info.name, info.format, info.dims});
    Writer writer(to, metadata, std::move(heads), options);
    for (const TensorInfo& info : from.tensors) {
        writer.add(info.data());
        info.stored.release();
    }
    writer.finish();
}

}  // namespace quern::gguf
