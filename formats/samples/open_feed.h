// The feed of whatever a path names.
#pragma once

#include "formats/samples/feed.h"

namespace quern {

// A plain path (.npy, .npz, .pb, HDF5, .csv with one item a line, a picture or a folder of them, else headerless), with steps, rows of a
// blob or a dataset. `index`: the input's number among the model's; `member`: the array of an .npz; empty: the input's name, or the only
// one. `spec` must outlive the feed.
std::unique_ptr<Feed> open_feed(const std::string& text, const InputSpec& spec, bool native, size_t index, const std::string& member = {});

}  // namespace quern
