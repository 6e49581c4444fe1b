#include "formats/gguf/file/requantize.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "formats/gguf/file/writer.h"
#include "libcore/base/digest.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

constexpr size_t elements_at_once = size_t{1} << 16;  // of rows that one thread takes

const BlockFormat& asked_for(const std::string& type) {
    if (const BlockFormat* format = block_format_named(type)) return *format;
    throw usage_error("there is no type \"{}\"", escape(type));
}

class Planner {
   public:
    Planner(const File& file, const RequantizeOptions& options) : file_(file), options_(options), used_(options.rules.size()) {}

    std::vector<TensorChange> plan() {
        std::vector<TensorChange> out;
        for (const TensorInfo& tensor : file_.tensors)
            out.push_back(at_place(fmt::format("tensor \"{}\"", escape(tensor.name)), [&] { return change(tensor); }));
        for (size_t i = 0; i < used_.size(); ++i)
            if (!used_[i]) throw usage_error("no tensor that is quantized has \"{}\" in its name", escape(options_.rules[i].pattern));
        return out;
    }

   private:
    TensorChange change(const TensorInfo& tensor) {
        TensorChange out{tensor.name, tensor.format, tensor.format, tensor.elements()};
        if (!is_quantized_by_mixes(tensor)) return out;
        out.to = &wanted(tensor);
        const int64_t row = tensor.dims.back();
        if (row % out.to->elements != 0) {
            const BlockFormat* other = stand_in(*out.to, row);
            if (!options_.allow_fallback)
                throw bad_input("rows of {} elements are not whole blocks of {}, which have {}", row, ggml_name(*out.to), out.to->elements)
                    .with_hint(fmt::format("--allow-fallback takes {} there", other ? ggml_name(*other) : "F16"));
            out.to = other ? other : block_format_named("f16");
            out.fallback = true;
        }
        if (out.to == out.from) return out;
        if (!out.to->encode) throw unsupported("{} cannot be written", ggml_name(*out.to));
        if (out.from->quantized() && !options_.allow_requantize)
            throw unsupported("is {} already: to quantize it again costs accuracy", ggml_name(*out.from))
                .with_hint("--allow-requantize does it");
        if (out.to->quantized()) check_importance(tensor, *out.to);
        return out;
    }

    const BlockFormat& wanted(const TensorInfo& tensor) {
        for (size_t i = 0; i < options_.rules.size(); ++i)
            if (tensor.name.find(options_.rules[i].pattern) != std::string::npos) {
                used_[i] = true;
                return asked_for(options_.rules[i].type);
            }
        return options_.pure ? asked_for(std::string(options_.mix->base))
                             : type_by_mix(*options_.mix, file_, tensor, options_.importance.has_value());
    }

    void check_importance(const TensorInfo& tensor, const BlockFormat& to) const {
        if (!options_.importance) {
            if (to.needs_importance) throw bad_input("{} needs an importance matrix", ggml_name(to)).with_hint("--imatrix FILE");
            return;
        }
        const auto found = options_.importance->columns.find(tensor.name);
        if (found == options_.importance->columns.end()) {
            if (options_.allow_missing || tensor.name == "token_embd.weight" || tensor.name == "output.weight") return;
            throw bad_input("the importance matrix has no entry for it").with_hint("--allow-missing-importance quantizes it without");
        }
        const auto columns = static_cast<int64_t>(found->second.size()), row = tensor.dims.back();
        const int64_t matrices = tensor.dims.size() > 2 ? tensor.dims[tensor.dims.size() - 3] : 1;
        if (columns != row && columns != row * matrices)
            throw bad_input("the importance matrix has {} columns for it, need {}", columns, row);
    }

    const File& file_;
    const RequantizeOptions& options_;
    std::vector<bool> used_;
};

// One tensor, row by row.
class RowEncoder {
   public:
    RowEncoder(const TensorInfo& tensor, const BlockFormat& to, const std::vector<float>* importance, bool measure)
        : tensor_(tensor),
          from_(*tensor.format),
          to_(to),
          importance_(importance),
          measure_(measure),
          row_(tensor.dims.back()),
          data_(tensor.data()) {}

    Bytes encode(TensorChange& change, ThreadPool& pool) {
        const auto rows = static_cast<size_t>(row_ == 0 ? 0 : tensor_.elements() / row_);
        MutableBytes out(rows * to_.row_bytes(row_));
        pool.run_ranges(rows, std::max<size_t>(1, elements_at_once / static_cast<size_t>(std::max<int64_t>(row_, 1))),
                        [&](size_t begin, size_t end) {
                            std::vector<float> numbers(static_cast<size_t>(row_)), back(measure_ ? static_cast<size_t>(row_) : 0);
                            TensorChange own;
                            for (size_t r = begin; r < end; ++r) one(r, numbers, back, out.data() + r * to_.row_bytes(row_), own);
                            const std::lock_guard lock(mutex_);
                            parts_.emplace(begin, own);
                        });
        for (const auto& [begin, part] : parts_) {  // in order, whatever thread had them
            change.largest = std::max(change.largest, part.largest);
            change.noise += part.noise;
            change.signal += part.signal;
        }
        return std::move(out).freeze();
    }

   private:
    void one(size_t r, std::vector<float>& numbers, std::vector<float>& back, std::byte* to, TensorChange& own) const {
        from_.decode(data_.data() + r * from_.row_bytes(row_), static_cast<size_t>(row_ / from_.elements), numbers.data());
        for (const float number : numbers)
            if (!std::isfinite(number)) throw bad_input("tensor \"{}\": row {} has a number {}", escape(tensor_.name), r, number);
        to_.encode(numbers.data(), static_cast<size_t>(row_ / to_.elements), weights_of(r), to);
        if (!measure_) return;
        to_.decode(to, static_cast<size_t>(row_ / to_.elements), back.data());
        for (size_t i = 0; i < numbers.size(); ++i) {
            const double error = static_cast<double>(numbers[i]) - static_cast<double>(back[i]);
            own.largest = std::max(own.largest, std::fabs(error));
            own.noise += error * error;
            own.signal += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
        }
    }

    // Of the row's matrix, in a stack of several.
    const float* weights_of(size_t r) const {
        if (!importance_) return nullptr;
        if (importance_->size() == static_cast<size_t>(row_)) return importance_->data();
        const auto rows = static_cast<size_t>(tensor_.dims[tensor_.dims.size() - 2]);
        return importance_->data() + r / rows * static_cast<size_t>(row_);
    }

    const TensorInfo& tensor_;
    const BlockFormat &from_, &to_;
    const std::vector<float>* importance_;
    bool measure_;
    int64_t row_;
    Bytes data_;
    std::mutex mutex_;
    std::map<size_t, TensorChange> parts_;
};

Metadata metadata_as(const Metadata& from, const Mix& mix) {
    Metadata out;
    for (const Metadata::Entry& entry : from.entries())
        if (!entry.key.starts_with("split.") && entry.key != "general.file_type" && entry.key != "general.quantization_version")
            out.add(entry.key, entry.value);
    out.add("general.quantization_version", MetaValue::integer(ValueType::u32, 2));
    out.add("general.file_type", MetaValue::integer(ValueType::u32, mix.file_type));
    return out;
}

std::vector<TensorHead> heads_of(const File& file, const std::vector<TensorChange>& plan) {
    std::vector<TensorHead> heads;
    heads.reserve(plan.size());
    for (size_t i = 0; i < plan.size(); ++i) heads.push_back({plan[i].name, plan[i].to, file.tensors[i].dims});
    return heads;
}

std::string digest_of(const Bytes& bytes) { return Digest().update(bytes.data(), bytes.size()).hex(); }

}  // namespace

std::vector<TensorChange> plan_types(const File& file, const RequantizeOptions& options) { return Planner(file, options).plan(); }

uint64_t planned_size(const File& file, const std::vector<TensorChange>& plan, const RequantizeOptions& options) {
    OutputFile nowhere([](const void*, size_t) {});
    return Writer(nowhere, metadata_as(file.metadata, *options.mix), heads_of(file, plan)).size();
}

void requantize(const File& file, std::vector<TensorChange>& plan, const RequantizeOptions& options, const std::string& path,
                ThreadPool& pool, const std::function<void()>& step) {
    OutputFile out(path);
    Writer writer(out, metadata_as(file.metadata, *options.mix), heads_of(file, plan));
    for (size_t i = 0; i < plan.size(); ++i) {
        const TensorInfo& tensor = file.tensors[i];
        Bytes blocks = tensor.data();
        if (options.measure) plan[i].source = digest_of(blocks);
        if (plan[i].to != plan[i].from) {
            const std::vector<float>* importance = nullptr;
            if (options.importance)
                if (const auto found = options.importance->columns.find(tensor.name); found != options.importance->columns.end())
                    importance = &found->second;
            blocks = RowEncoder(tensor, *plan[i].to, importance, options.measure).encode(plan[i], pool);
        }
        if (options.measure) plan[i].written = digest_of(blocks);
        writer.add(blocks);
        tensor.stored.release();
        step();
    }
    writer.finish();
    out.commit();
}

}  // namespace quern::gguf
