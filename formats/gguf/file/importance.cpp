#include "formats/gguf/file/importance.h"

#include <array>
#include <cmath>
#include <cstring>

#include "formats/gguf/file/open.h"
#include "formats/gguf/file/writer.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

constexpr std::string_view sums_suffix = ".in_sum2", counts_suffix = ".counts";
constexpr std::string_view type_key = "general.type", type_name = "imatrix", datasets_key = "imatrix.datasets",
                           chunks_key = "imatrix.chunk_count", size_key = "imatrix.chunk_size";

std::vector<float> numbers_of(const TensorInfo& tensor) {
    if (tensor.format->name != "f32") throw bad_input("tensor \"{}\" is {}, need F32", escape(tensor.name), ggml_name(*tensor.format));
    std::vector<float> out(static_cast<size_t>(tensor.elements()));
    tensor.format->decode(tensor.data().data(), out.size(), out.data());
    for (const float number : out)
        if (!std::isfinite(number) || number < 0) throw bad_input("tensor \"{}\" has a number {}", escape(tensor.name), number);
    return out;
}

// Sums by the number of what was summed; 1 where nothing was.
std::vector<float> means(std::vector<float> sums, const std::vector<float>& counts, const std::string& name) {
    if (counts.empty() || sums.size() % counts.size() != 0)
        throw bad_input("entry \"{}\" has {} sums and {} counts", escape(name), sums.size(), counts.size());
    const size_t row = sums.size() / counts.size();
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = counts[i / row] > 0 ? sums[i] / counts[i / row] : 1;
    return sums;
}

Importance of_gguf(const File& file) {
    if (file.metadata.text(type_key) != type_name) throw bad_input("is a GGUF file, but no importance matrix (general.type)");
    Importance out;
    for (const std::string_view text : file.metadata.texts(datasets_key)) out.datasets.emplace_back(text);
    out.chunks = static_cast<uint64_t>(file.metadata.integer(chunks_key).value_or(0));
    out.chunk_size = static_cast<uint64_t>(file.metadata.integer(size_key).value_or(0));
    for (const TensorInfo& tensor : file.tensors) {
        if (!tensor.name.ends_with(sums_suffix)) continue;
        const std::string name = tensor.name.substr(0, tensor.name.size() - sums_suffix.size());
        const TensorInfo* counts = file.find(name + std::string(counts_suffix));
        if (!counts) throw bad_input("entry \"{}\" has no counts", escape(name));
        out.columns[name] = means(numbers_of(tensor), numbers_of(*counts), name);
    }
    return out;
}

// The older form: numbers one behind the other, without a magic.
class OldReader {
   public:
    explicit OldReader(const Bytes& bytes) : bytes_(bytes) {}

    Importance read() {
        Importance out;
        const int64_t entries = count("entries");
        for (int64_t i = 0; i < entries; ++i) {
            const std::string name(text("the name of an entry"));
            const int64_t calls = count("calls"), values = count("values");
            const Bytes data = take(static_cast<size_t>(values) * sizeof(float), "values");
            std::vector<float> numbers(static_cast<size_t>(values));
            std::memcpy(numbers.data(), data.data(), data.size());
            for (float& number : numbers) {
                if (!std::isfinite(number) || number < 0) throw bad_input("entry \"{}\" has a number {}", escape(name), number);
                number = calls > 0 ? number / static_cast<float>(calls) : 1;
            }
            if (!out.columns.emplace(name, std::move(numbers)).second) throw bad_input("two entries are named \"{}\"", escape(name));
        }
        if (at_ == bytes_.size()) return out;
        out.chunks = static_cast<uint64_t>(count("chunks"));
        out.datasets.emplace_back(text("the data set"));
        return out;
    }

   private:
    Bytes take(size_t size, std::string_view what) {
        if (size > bytes_.size() - at_) throw bad_input("byte {}: {} need {} bytes, {} are left", at_, what, size, bytes_.size() - at_);
        at_ += size;
        return bytes_.slice(at_ - size, size);
    }
    int64_t count(std::string_view what) {
        int32_t number = 0;
        std::memcpy(&number, take(sizeof number, what).data(), sizeof number);
        if (number < 0) throw bad_input("byte {}: {} {}", at_ - sizeof number, number, what);
        return number;
    }
    std::string_view text(std::string_view what) { return take(static_cast<size_t>(count(what)), what).text(); }

    const Bytes& bytes_;
    size_t at_ = 0;
};

Bytes floats(const std::vector<double>& numbers) {
    MutableBytes out(numbers.size() * sizeof(float));
    for (size_t i = 0; i < numbers.size(); ++i) {
        const auto number = static_cast<float>(numbers[i]);
        std::memcpy(out.data() + i * sizeof number, &number, sizeof number);
    }
    return std::move(out).freeze();
}

}  // namespace

void write_importance(const ImportanceSums& sums, OutputFile& file) {
    Metadata metadata;
    metadata.add(std::string(type_key), MetaValue::text(type_name));
    metadata.add(std::string(datasets_key), MetaValue::texts(std::array<std::string_view, 1>{sums.dataset}));
    metadata.add(std::string(chunks_key), MetaValue::integer(ValueType::u32, static_cast<int64_t>(sums.chunks)));
    metadata.add(std::string(size_key), MetaValue::integer(ValueType::u32, static_cast<int64_t>(sums.chunk_size)));
    const BlockFormat* format = block_format_named("f32");
    std::vector<TensorHead> heads;
    for (const auto& [name, entry] : sums.tensors) {
        heads.push_back({name + std::string(sums_suffix), format, {static_cast<int64_t>(entry.squares.size())}});
        heads.push_back({name + std::string(counts_suffix), format, {1}});
    }
    Writer writer(file, metadata, std::move(heads));
    for (const auto& [name, entry] : sums.tensors) {
        writer.add(floats(entry.squares));
        writer.add(floats({static_cast<double>(entry.rows)}));
    }
    writer.finish();
}

Importance read_importance(const Bytes& bytes, const std::string& path) {
    return has_magic(bytes) ? of_gguf(open(bytes, path)) : OldReader(bytes).read();
}

}  // namespace quern::gguf
