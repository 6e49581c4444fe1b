// A tensor bundle, the checkpoint of a SavedModel: an index, which is a table of LevelDB, and shards with the elements.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "libcore/base/bytes.h"
#include "libcore/graph/tensor.h"

namespace quern::tensorflow_format {

// Part of a dim; length -1: the whole dim.
struct Extent {
    int64_t start = 0, length = -1;
};

class Bundle {
   public:
    // `prefix`: of the files' names, "variables/variables"; `open` maps the file of that name.
    using Open = std::function<Bytes(const std::string& name)>;
    Bundle(std::string prefix, Open open);

    // The tensor of that key, its checksum looked at; one that lies there in slices is put together.
    Tensor read(const std::string& key);
    const std::vector<Bytes>& files() const { return files_; }

   private:
    struct Entry {
        int64_t type = 0;
        Shape shape = Shape::of_rank(0);
        int64_t shard = 0, offset = 0, size = 0;
        uint32_t crc = 0;
        std::vector<std::vector<Extent>> slices;
    };
    void add(const std::string& key, const Bytes& value);
    static Entry read_entry(const Bytes& message);
    const Entry& entry(const std::string& key) const;
    const Bytes& shard(int64_t index);
    uint64_t most_taken() const;
    Tensor stored(const Entry& entry);
    Tensor joined(const std::string& key, const Entry& entry);

    std::string prefix_;
    Open open_;
    int64_t shard_count_ = 0;
    std::map<std::string, Entry, std::less<>> entries_;
    std::map<int64_t, Bytes> shards_;
    std::map<std::string, Tensor, std::less<>> joined_;
    uint64_t taken_ = 0;  // bytes
    std::vector<Bytes> files_;
};

// The extents of each dim, with whole dims made of `dims`; throws Exit::bad_input outside of them.
std::vector<Extent> within(const std::vector<Extent>& slice, const Dims& dims);
// Where each row (a run of the last dim) of a part of a tensor lies in the whole.
void for_each_row(const Dims& dims, const std::vector<Extent>& part, const std::function<void(int64_t whole, int64_t row)>& fn);

}  // namespace quern::tensorflow_format
