#include "libcore/cli/sample_options.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/cli/named_files.h"

namespace quern {

void SampleFlags::add(Options& add) {
    add.group("Samples");
    add.input(options_.list, "--input-list", "FILE", "one sample per line: paths in input order, or name:=path", list_files);
    add.inputs(
        options_.inputs, "--input", "NAME=FILE",
        "a file (.npy, .npz, .pb, .csv, a picture, else raw) or a folder of pictures, FOLDER:resize=256,crop=224, or rows of a blob, "
        "FILE:u8[96,96,3]/255; - is a framed stream (quern-samples(7))",
        sample_files);
    add.integer(options_.random, "--random", "SEED", "random samples: floats in [-1, 1), integers 0 or 1");
    add.integer(skip_, "--skip-rows", "N", "leave out the first N samples (default: 0)");
    add.integer(rows_, "--rows", "N", "use N samples (default: all; with --random: 1)", 1);
    add.flag(options_.native, "--native-io", "headerless samples and written results are in each tensor's storage type");
}

SampleOptions SampleFlags::options() const {
    SampleOptions options = options_;
    options.skip = static_cast<uint64_t>(skip_);
    if (rows_) options.rows = static_cast<uint64_t>(*rows_);
    return options;
}

std::unique_ptr<SampleSource> SampleFlags::open(const std::vector<InputSpec>& specs, const SampleOptions& options) const {
    auto source = open_samples(specs, options);
    if (!options.random) return source;
    const auto open = [](const Dim& dim) { return !dim.known(); };
    for (const InputSpec& spec : specs)
        if (const auto& dims = spec.type.shape.dims; std::any_of(dims.begin() + (dims.empty() ? 0 : 1), dims.end(), open))
            notice(fmt::format("--random: input \"{}\" is {}: open dims are taken as 1 (--shape sets others)", escape(spec.name),
                               to_string(spec.type)));
    return source;
}

}  // namespace quern
