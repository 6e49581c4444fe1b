// Importance matrices: how much each column of each weight counts, measured by running a language model over a text.
#pragma once

#include "formats/format.h"
#include "formats/gguf/file/importance.h"
#include "libcore/quant/collect/collect.h"

namespace quern {

// Sums of squares of what the products of the model's weights read, by the names of the GGUF file that it was made from. Throws
// Exit::unsupported for a model that was not made from one. `step` hears of each run.
gguf::ImportanceSums collect_importance(const Model& model, SampleFeed& feed, int threads, const std::function<void()>& step);

}  // namespace quern
