// Pictures as a feed: one file, or those of a folder, with their steps.
#pragma once

#include "formats/samples/feed.h"
#include "formats/tensors/named_steps.h"

namespace quern {

bool is_picture(const Bytes& bytes);

// `text`: as written.
std::unique_ptr<Feed> open_pictures(const NamedSteps& steps, const std::string& text, const InputSpec& spec, bool native);

}  // namespace quern
