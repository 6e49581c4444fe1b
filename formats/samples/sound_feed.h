// WAV files as a feed: the windows of one file, or of those in a folder.
#pragma once

#include "formats/samples/feed.h"
#include "formats/sound/sound.h"
#include "formats/tensors/named_steps.h"

namespace quern {

// `text`: as written.
std::unique_ptr<Feed> open_sound(const NamedSteps& steps, const std::string& text, const InputSpec& spec, bool native);

}  // namespace quern
