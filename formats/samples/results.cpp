#include "formats/samples/results.h"

#include "formats/samples/stream.h"
#include "formats/tensors/npy.h"
#include "formats/tensors/npz.h"
#include "libcore/base/digest.h"
#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"
#include "libcore/os/folder.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

constexpr size_t longest_stem = 220;  // of a name, as file systems take 255 bytes with the suffix

Tensor written_form(const Tensor& tensor, const InputSpec& spec, bool native) {
    if (native) return spec.enc && tensor.dtype == spec.type.dtype ? quantize(tensor, *spec.enc) : tensor;
    if (!is_float(tensor.dtype) || tensor.dtype == DType::f32) return tensor;
    return from_floats(DType::f32, tensor.dims, to_floats(tensor));
}

class FolderWriter : public ResultWriter {
   public:
    FolderWriter(std::string folder, std::vector<InputSpec> outputs, bool native, bool npy)
        : folder_(std::move(folder)), outputs_(std::move(outputs)), native_(native), npy_(npy), kept_(folder_) {}
    void write(uint64_t result, const std::vector<Tensor>& tensors) override {
        const std::string folder = fmt::format("{}/Result_{}", folder_, result);
        const ProductFolder kept(folder);
        for (size_t i = 0; i < outputs_.size(); ++i) {
            const Tensor tensor = written_form(tensors[i], outputs_[i], native_);
            OutputFile file(fmt::format("{}/{}.{}", folder, result_stem(outputs_[i].name), npy_ ? "npy" : "raw"));
            if (npy_) file.write(npy_header(tensor.dtype, tensor.dims));
            file.write(tensor.data);
            file.commit();
        }
    }

   private:
    std::string folder_;
    std::vector<InputSpec> outputs_;
    bool native_, npy_;
    ProductFolder kept_;
};

// A member is named as the tensor is, unless a name is a way out of the folder that an archive is unpacked in, or none.
std::string member_name(const std::string& name) {
    for (const std::string& part : split(name, '/'))
        if (part == ".." || part.size() > longest_stem || !is_plain(part)) return result_stem(name);
    return name;
}

class ArchiveWriter : public ResultWriter {
   public:
    ArchiveWriter(const std::string& path, std::vector<InputSpec> outputs, bool native)
        : outputs_(std::move(outputs)), native_(native), file_(path), npz_(file_) {}
    void write(uint64_t result, const std::vector<Tensor>& tensors) override {
        for (size_t i = 0; i < outputs_.size(); ++i)
            npz_.add(fmt::format("Result_{}/{}", result, member_name(outputs_[i].name)), written_form(tensors[i], outputs_[i], native_));
    }
    void finish() override {
        npz_.finish();
        file_.commit();
    }

   private:
    std::vector<InputSpec> outputs_;
    bool native_;
    OutputFile file_;
    NpzWriter npz_;
};

class StreamWriter : public ResultWriter {
   public:
    StreamWriter(const std::string& path, std::vector<InputSpec> outputs, bool native)
        : outputs_(std::move(outputs)), native_(native), file_(path) {}
    void write(uint64_t, const std::vector<Tensor>& tensors) override {
        std::vector<Tensor> written;
        for (size_t i = 0; i < outputs_.size(); ++i) written.push_back(written_form(tensors[i], outputs_[i], native_));
        write_frame(file_, names_of(outputs_), written);
    }
    void finish() override { file_.commit(); }

   private:
    std::vector<InputSpec> outputs_;
    bool native_;
    OutputFile file_;
};

}  // namespace

std::string result_stem(const std::string& name) {
    std::string stem = percent_escape(name);
    if (stem.size() <= longest_stem) return stem;
    const std::string digest = Digest().update(name.data(), name.size()).hex();
    return stem.substr(0, longest_stem - digest.size() - 1) + "-" + digest;
}

std::unique_ptr<ResultWriter> make_result_writer(std::string_view format, const std::string& path, std::vector<InputSpec> outputs,
                                                 bool native) {
    if (format == "npz" || format == "stream") refuse_terminal(path);
    if (format == "npz") return std::make_unique<ArchiveWriter>(path, std::move(outputs), native);
    if (format == "stream") return std::make_unique<StreamWriter>(path, std::move(outputs), native);
    if (is_stream(path))
        throw usage_error("--format {} writes a folder, not standard output", format).with_hint("--format npz and stream can");
    return std::make_unique<FolderWriter>(path, std::move(outputs), native, format == "npy");
}

Tensor part_of(const Tensor& tensor, uint64_t k, uint64_t parts) {
    const bool whole = parts == 1 || tensor.dims.empty() || tensor.dims[0] % static_cast<int64_t>(parts) != 0 ||
                       bits_of(tensor.dtype) % 8 != 0 || tensor.dtype == DType::string || tensor.dims[0] == 0;
    if (whole) return tensor;
    Dims dims = tensor.dims;
    dims[0] /= static_cast<int64_t>(parts);
    const uint64_t size = tensor.data.size() / parts;
    return {tensor.dtype, dims, tensor.data.slice(k * size, size)};
}

}  // namespace quern
