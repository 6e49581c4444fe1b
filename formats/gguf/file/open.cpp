#include "formats/gguf/file/open.h"

#include <filesystem>

#include "formats/gguf/file/check_tokenizer.h"
#include "formats/gguf/file/read_shard.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/os/folder.h"
#include "libcore/os/io.h"

namespace quern::gguf {
namespace {

constexpr int64_t shard_limit = 65535;  // split.count is a uint16

std::string shard_suffix(int64_t number, int64_t count) { return fmt::format("-{:05}-of-{:05}.gguf", number, count); }

int64_t shard_count(const Metadata& metadata) {
    const int64_t count = metadata.integer("split.count").value_or(0);
    if (count < 0 || count > shard_limit) throw bad_input("metadata \"split.count\" is {}, need 0 to {}", count, shard_limit);
    return count;
}

// What the names of all shards begin with.
std::string prefix_of(const std::string& path, int64_t number, int64_t count) {
    const std::string suffix = shard_suffix(number, count);
    if (!path.ends_with(suffix))
        throw bad_input("is shard {} of {}: the others are found only if its name ends in \"{}\"", number, count, suffix);
    return path.substr(0, path.size() - suffix.size());
}

// Of the shards of which `first` is the first.
void add_shard(File& file, const std::string& first, const std::string& path, int64_t number, int64_t count) {
    if (!file_exists(path)) throw bad_input("shard {} of {} is missing: {}", number, count, path);
    const Bytes bytes = map_beside(first, std::filesystem::path(path).filename().string());
    at_place(path, [&] {
        File shard = read_shard(bytes);
        const int64_t no = shard.metadata.integer("split.no").value_or(-1), of = shard_count(shard.metadata);
        if (no != number - 1 || of != count)
            throw bad_input("metadata \"split.no\" is {} of {}, need {} of {}: this is another shard", no, of, number - 1, count);
        for (TensorInfo& info : shard.tensors) {
            info.shard = static_cast<uint32_t>(number - 1);
            const std::string name = info.name;
            if (!file.add(std::move(info)))
                throw bad_input("tensor \"{}\" is in shard {} already", escape(name), file.find(name)->shard + 1);
        }
        file.size += shard.size;
    });
}

void check_total(const File& file) {
    const auto total = file.metadata.integer("split.tensors.count");
    if (total && *total != static_cast<int64_t>(file.tensors.size()))
        throw bad_input("metadata \"split.tensors.count\" is {}, the {} shards have {} tensors", *total, file.shards, file.tensors.size());
}

// Adds the tensors of the other shards of `file`, which was read from `path`; does nothing to a whole one.
void join_shards(File& file, const std::string& path) {
    const int64_t count = shard_count(file.metadata);
    if (count > 1) {
        const int64_t no = file.metadata.integer("split.no").value_or(0);
        if (no < 0 || no >= count) throw bad_input("metadata \"split.no\" is {}, need 0 to {}", no, count - 1);
        const std::string prefix = prefix_of(path, no + 1, count);
        if (no != 0) throw bad_input("is shard {} of {}: give the first, {}", no + 1, count, prefix + shard_suffix(1, count));
        for (int64_t number = 2; number <= count; ++number) add_shard(file, path, prefix + shard_suffix(number, count), number, count);
        file.shards = static_cast<uint32_t>(count);
    }
    check_total(file);
}

}  // namespace

File open(const Bytes& bytes, const std::string& path) {
    File file = read_shard(bytes);
    join_shards(file, path);
    check_tokenizer(file.metadata);
    return file;
}

}  // namespace quern::gguf
