// Reads safetensors (safetensors.h): one file, or the shards of an index.
#include <algorithm>

#include "formats/safetensors/dtypes.h"
#include "formats/safetensors/header.h"
#include "formats/safetensors/safetensors.h"
#include "libcore/base/json.h"
#include "libcore/base/little_endian.h"
#include "libcore/base/text.h"
#include "libcore/os/folder.h"
#include "libcore/os/io.h"

namespace quern::safetensors {
namespace {

constexpr uint64_t most_of_header = 100'000'000;  // as the reference has it
constexpr size_t most_of_index = size_t{1} << 24;
constexpr std::string_view index_suffix = ".safetensors.index.json";

uint64_t header_size(std::string_view text) { return uint64_t{little_endian(text, 4, 4)} << 32 | little_endian(text, 0, 4); }

Tensor tensor_of(const std::string& name, const HeaderEntry& entry, const Bytes& data) {
    const DType dtype = dtype_named(entry.dtype);
    if (dtype == DType::none) throw unsupported("tensor \"{}\" has element type \"{}\"", escape(name), escape(entry.dtype));
    const auto begin = static_cast<uint64_t>(entry.offsets[0]), end = static_cast<uint64_t>(entry.offsets[1]);
    return at_place(
        [&] { return fmt::format("tensor \"{}\"", escape(name)); },
        [&]() -> Tensor {
            if (begin > end || end > data.size())
                throw bad_input("its bytes are {} to {}, but the file has {} of data", begin, end, data.size());
            uint64_t bits = 0;
            if (__builtin_mul_overflow(static_cast<uint64_t>(count_of(entry.shape)), static_cast<uint64_t>(bits_of(dtype)), &bits))
                throw bad_input("shape {} has more than 2^64 bits", to_string(entry.shape));
            if (bits % 8 != 0 || bits / 8 != end - begin)
                throw bad_input("{} bytes, need {} for {}{}", end - begin, (bits + 7) / 8, name_of(dtype), to_string(entry.shape));
            return {dtype, entry.shape, data.slice(begin, end - begin)};
        });
}

// The tensors' bytes lie one behind the other, from the beginning of the data to their end.
void check_cover(const Header& header, size_t size) {
    std::vector<const std::pair<const std::string, HeaderEntry>*> order;
    for (const auto& entry : header.entries) order.push_back(&entry);
    std::ranges::stable_sort(order, {}, [](const auto* entry) { return std::pair(entry->second.offsets[0], entry->second.offsets[1]); });
    int64_t at = 0;
    for (const auto* entry : order) {
        const int64_t begin = entry->second.offsets[0];
        if (begin != at)
            throw bad_input("tensor \"{}\" begins at byte {} of the data, need {}: it {}", escape(entry->first), begin, at,
                            begin < at ? "overlaps another one" : "leaves a hole");
        at = entry->second.offsets[1];
    }
    if (static_cast<uint64_t>(at) != size) throw bad_input("tensors end at byte {} of {} of data", at, size);
}

Container open_index(const Bytes& bytes, const std::string& path) {
    if (bytes.size() > most_of_index) throw unsupported("{} bytes of index, more than {}", bytes.size(), most_of_index);
    const Json json = parse_json(bytes.text());
    std::map<std::string, Container> parts;
    Container whole;
    JsonView(json)["weight_map"].each([&](const std::string& name, const JsonView& file) {
        auto part = parts.find(file.text());
        if (part == parts.end()) {
            const Bytes shard = map_beside(path, file.text());
            part = parts.emplace(file.text(), at_place(file.text(), [&] { return parse(shard); })).first;
            whole.files.push_back(part->second.files[0]);
        }
        const auto found = part->second.tensors.find(name);
        if (found == part->second.tensors.end()) throw bad_input("{} has no tensor \"{}\"", file.text(), escape(name));
        whole.tensors.insert(*found);
    });
    for (const auto& [name, part] : parts) whole.metadata.insert(part.metadata.begin(), part.metadata.end());
    return whole;
}

}  // namespace

bool sniff(const Bytes& bytes) {
    return bytes.size() > 8 && bytes.text()[8] == '{' && header_size(bytes.text()) <= std::min<uint64_t>(most_of_header, bytes.size() - 8);
}

bool is_index(std::string_view path) { return path.ends_with(index_suffix); }

Container parse(const Bytes& file) {
    if (file.size() < 8) throw bad_input("{} bytes, need 8 for the size of the header", file.size());
    const uint64_t size = header_size(file.text());
    if (size > most_of_header && !file.text().substr(8).starts_with('{'))
        throw bad_input("is not a safetensors file, which begins with the size of its header");
    if (size > file.size() - 8) throw bad_input("a header of {} bytes, but the file has {}", size, file.size());
    if (size > most_of_header) throw unsupported("a header of {} bytes, more than {}", size, most_of_header);
    Header header = parse_header(file.text().substr(8, size));
    const Bytes data = file.slice(8 + size, file.size() - 8 - size);
    Container container{.tensors = {}, .metadata = std::move(header.metadata), .files = {file}};
    for (const auto& [name, entry] : header.entries) container.tensors.emplace(name, tensor_of(name, entry, data));
    check_cover(header, data.size());
    return container;
}

Container open(const std::string& path) {
    const Bytes bytes = map_input(path);  // which says by itself what it cannot read
    return at_place(display_name(path), [&] { return is_index(path) ? open_index(bytes, path) : parse(bytes); });
}

}  // namespace quern::safetensors
