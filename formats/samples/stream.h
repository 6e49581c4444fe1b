// A framed stream of samples, for pipes: a line "sample N", then N tensors, each a line with its percent-escaped name and an .npy
// array. NumPy writes and reads it: f.write(b"sample 1\nx\n"); np.lib.format.write_array(f, x). Outputs have the same form, so one
// run can feed the next. An empty name stands for the input at that position.
#pragma once

#include "formats/samples/source.h"
#include "formats/tensors/fit.h"
#include "libcore/os/io.h"

namespace quern {

// The stream is spooled, and every frame checked, before the first sample is given out.
std::unique_ptr<SampleSource> stream_samples(const std::vector<InputSpec>& specs, Bytes stream, const std::string& name, bool native);

void write_frame(OutputFile& file, const std::vector<std::string>& names, const std::vector<Tensor>& tensors);

}  // namespace quern
