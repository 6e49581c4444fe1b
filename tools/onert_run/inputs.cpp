#include "tools/onert_run/inputs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "formats/samples/samples.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool.h"
#include "libcore/graph/quantize.h"
#include "libcore/os/io.h"

namespace quern::onert_run {
namespace {

namespace fs = std::filesystem;

// What run and onert_run write for one sample: NAME.raw or NAME.npy, in the folder or in its Result_0.
std::string file_in(const fs::path& folder, const std::string& name) {
    const std::string file = percent_escape(name);
    for (const fs::path& place : {folder, folder / "Result_0"})
        for (const char* suffix : {".npy", ".raw"})
            if (fs::path path = place / (file + suffix); file_exists(path)) return path;
    throw io_error("{}: has no {}.npy or {}.raw for the input \"{}\"", folder.string(), file, file, escape(name));
}

SampleOptions sample_options(const InputChoice& choice, const std::vector<InputSpec>& specs) {
    SampleOptions options;
    options.native = !choice.force_float;
    std::error_code failed;
    if (!fs::is_directory(choice.load, failed)) {
        options.inputs = {choice.load};
        return options;
    }
    for (const InputSpec& spec : specs) options.inputs.push_back(fmt::format("{}={}", spec.name, file_in(choice.load, spec.name)));
    return options;
}

// Uniform in (0, 1]: never 0, for the logarithm.
double uniform(std::mt19937_64& random) { return static_cast<double>((random() >> 11) + 1) * 0x1p-53; }

// Normal, mean 0, deviation 2 (Box and Muller 1958), one of each pair.
float normal(std::mt19937_64& random) {
    const double radius = std::sqrt(-2 * std::log(uniform(random)));
    return static_cast<float>(2 * radius * std::cos(2 * std::numbers::pi * uniform(random)));
}

}  // namespace

DType buffer_dtype(const InputSpec& spec, bool force_float) { return spec.enc && !force_float ? spec.enc->storage : spec.type.dtype; }

// Beyond a batch, which has one sample of its own accord.
static void tell_open(const InputSpec& spec, bool given) {
    const auto open = [](const Dim& dim) { return !dim.known(); };
    const auto& dims = spec.type.shape.dims;
    if (!given && std::any_of(dims.begin() + (dims.empty() ? 0 : 1), dims.end(), open))
        notice(
            fmt::format("input \"{}\" is {}: open dims are taken as 1 (--shape_run sets others)", escape(spec.name), to_string(spec.type)));
}

void RunInputs::bind(const std::map<size_t, Dims>& shapes) {
    specs_ = session_.inputs();
    shapes_ = shapes;
    tensors_.clear();
    random_.seed(1);
    set_ = false;
    for (const auto& [index, dims] : shapes)
        if (index >= specs_.size()) throw usage_error("input {} has a shape: the model has {} inputs", index, specs_.size());
    if (!choice_.random()) read();
    for (size_t i = 0; i < specs_.size(); ++i) {
        if (specs_[i].type.shape.fixed() && !shapes.contains(i)) continue;
        const Dims dims = dims_of(i);
        tell_open(specs_[i], shapes_.contains(i));
        session_(quern_set_input_shape, i, static_cast<int32_t>(dims.size()), dims.data());
    }
}

const std::map<size_t, Dims>& RunInputs::loaded_shapes() {
    specs_ = session_.inputs();
    read();
    return shapes_;
}

void RunInputs::read() {
    if (!choice_.raw.empty()) {
        for (size_t i = 0; i < specs_.size(); ++i)
            tensors_.push_back({buffer_dtype(specs_[i], choice_.force_float), {}, map_input(fmt::format("{}.{}", choice_.raw, i))});
        return;
    }
    const auto source = open_samples(specs_, sample_options(choice_, specs_));
    if (source->count() != 1) notice(fmt::format("{}: has {} samples: the first is run", choice_.load, source->count()));
    tensors_ = source->sample(0);
    for (size_t i = 0; i < specs_.size(); ++i) shapes_.try_emplace(i, tensors_[i].dims);
}

Dims RunInputs::dims_of(size_t index) const {
    if (const auto given = shapes_.find(index); given != shapes_.end()) return given->second;
    const Shape& shape = specs_[index].type.shape;
    if (!shape.ranked)
        throw usage_error("input \"{}\" has no shape", escape(specs_[index].name)).with_hint("--shape_run '[0, [1, 20]]' gives one");
    Dims dims;
    for (const Dim& dim : shape.dims) dims.push_back(dim.known() ? dim.value : 1);
    return dims;
}

Tensor RunInputs::random_tensor(const InputSpec& spec, const Dims& dims) {
    if (bits_of(spec.type.dtype) == 0) throw unsupported("input \"{}\": no random numbers of that type", escape(spec.name));
    const auto count = static_cast<size_t>(count_of(dims));
    if (!is_float(spec.type.dtype)) {  // valid as masks, token ids and indices
        std::vector<int64_t> bits(count);
        for (int64_t& bit : bits) bit = static_cast<int64_t>(random_() >> 63);
        return from_ints(spec.type.dtype, dims, bits);
    }
    std::vector<float> values(count);
    for (float& value : values) value = normal(random_);
    const Tensor numbers = from_floats(spec.type.dtype, dims, values);
    return spec.enc && !choice_.force_float ? quantize(numbers, *spec.enc) : numbers;
}

void RunInputs::set_next() {
    if (choice_.random() && !(choice_.fixed && set_)) {
        tensors_.clear();
        for (size_t i = 0; i < specs_.size(); ++i) tensors_.push_back(random_tensor(specs_[i], dims_of(i)));
    }
    set_ = true;
    for (size_t i = 0; i < tensors_.size(); ++i) session_.set_input(i, tensors_[i]);
}

void RunInputs::dump_raw(const std::string& prefix) const {
    for (size_t i = 0; i < tensors_.size(); ++i)
        write_output(fmt::format("{}.{}", prefix, i), {reinterpret_cast<const char*>(tensors_[i].data.data()), tensors_[i].data.size()});
}

}  // namespace quern::onert_run
