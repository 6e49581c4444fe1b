#include "tools/onert_run/outputs.h"

#include "formats/hdf5/hdf5.h"
#include "formats/samples/results.h"
#include "formats/tensors/npy.h"
#include "libcore/graph/quantize.h"
#include "libcore/os/io.h"
#include "tools/onert_run/inputs.h"

namespace quern::onert_run {
namespace {

std::string_view text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void reshape(std::vector<Tensor>& tensors, const std::map<size_t, Dims>& shapes) {
    for (const auto& [index, dims] : shapes) {
        if (index >= tensors.size()) throw usage_error("--output_shape: output {}: the model has {}", index, tensors.size());
        if (count_of(dims) != tensors[index].count())
            throw usage_error("--output_shape: output {} is {}, which cannot be written as {}", index, to_string(tensors[index].dims),
                              to_string(dims));
        tensors[index].dims = dims;
    }
}

bool is_hdf5_name(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5") || path.ends_with(".H5"); }

// As onert writes them: datasets 0, 1, ... in a group.
void dump_hdf5(const OutputChoice& choice, const std::vector<InputSpec>& specs, std::vector<Tensor> tensors) {
    std::vector<std::string> paths;
    for (size_t i = 0; i < tensors.size(); ++i) {
        paths.push_back(fmt::format("value/{}", i));
        if (specs[i].enc && !choice.force_float) tensors[i] = quantize(tensors[i], *specs[i].enc);
    }
    write_output(choice.dump, text_of(hdf5_image(paths, tensors)));
}

void dump(const OutputChoice& choice, const std::vector<InputSpec>& specs, std::vector<Tensor> tensors) {
    reshape(tensors, choice.shapes);
    if (choice.dump.ends_with(".npy")) {
        if (tensors.size() != 1) throw usage_error("--dump {}: the model has {} outputs, .npy holds one", choice.dump, tensors.size());
        const bool codes = specs[0].enc && !choice.force_float;
        const Tensor tensor = codes ? quantize(tensors[0], *specs[0].enc) : tensors[0];
        return write_output(choice.dump, npy_header(tensor.dtype, tensor.dims) + std::string(text_of(tensor.data)));
    }
    if (is_hdf5_name(choice.dump)) return dump_hdf5(choice, specs, std::move(tensors));
    const std::string_view format = choice.dump.ends_with(".npz") ? "npz" : "raw";
    const auto writer = make_result_writer(format, choice.dump, specs, !choice.force_float);
    writer->write(0, tensors);
    writer->finish();
}

}  // namespace

void check_outputs(const OutputChoice& choice) {
    if (!choice.shapes.empty() && choice.dump.empty()) throw usage_error("--output_shape is for --dump");
}

void write_outputs(const ApiSession& session, const OutputChoice& choice) {
    const std::vector<InputSpec> specs = session.outputs();
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < specs.size(); ++i) tensors.push_back(session.output(i));
    if (!choice.raw.empty())
        for (size_t i = 0; i < specs.size(); ++i) {
            const bool codes = specs[i].enc && !choice.force_float;
            write_output(fmt::format("{}.{}", choice.raw, i), text_of(codes ? quantize(tensors[i], *specs[i].enc).data : tensors[i].data));
        }
    if (!choice.dump.empty()) dump(choice, specs, std::move(tensors));
}

}  // namespace quern::onert_run
