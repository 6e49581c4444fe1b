// A text as samples of a calibration: windows as perplexity reads them, each from the beginning.
#pragma once

#include "libcore/quant/collect/collect.h"
#include "libcore/text/token_text.h"

namespace quern {

// The tokens of a window unless it is stated: what perplexity takes, or as many of that as the caches hold and runs fill.
int64_t usual_window(const Graph& graph);

// Runs of the graph, which must be a language model: a window each, or for a graph of fixed shapes pieces of one, with the caches handed
// on. `place`: of the text, for messages. Throws Exit::bad_input for a graph with an obstacle, Exit::usage for windows that it cannot
// read in whole runs. `windows` must outlive it.
SampleFeed token_feed(const Graph& graph, const TokenWindows& windows, int64_t count, const std::string& place);

}  // namespace quern
