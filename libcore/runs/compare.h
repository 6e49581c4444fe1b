// Comparing two models in lock-step, or the results of two runs: signal-to-noise ratio, cosine and greatest error of each value.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/samples/samples.h"
#include "libcore/runs/difference.h"

namespace quern {

// Runs both models on each sample at the same time and compares values of equal names as they are computed. At most about `pending_limit`
// bytes wait for their partner, unless the models' orders differ so much that more must. With `outputs_only`, only outputs are seen.
Comparison compare_models(const CompareSide& a, const CompareSide& b, const SampleSource& source, bool outputs_only, int threads,
                          const std::function<void()>& step, size_t pending_limit = size_t{64} << 20);

// Folders with Result_<i>/<tensor>.raw or .npy, or .npz files. Headerless files are float32.
Comparison compare_results(const std::string& a, const std::string& b);

std::string comparison_text(const Comparison& comparison, double threshold, bool outputs_only);
// As a page: totals, outputs, the values over the order in which they are computed, a row for each with its errors, the worst first.
// `first`, `second`: what is compared, in a few words.
std::string comparison_html(const Comparison& comparison, double threshold, bool outputs_only, const std::string& first,
                            const std::string& second);
// "only in the first: a, b": a line, or nothing.
std::string only_in_text(std::string_view what, const std::vector<std::string>& names);
std::string comparison_json(const Comparison& comparison, double threshold, bool outputs_only);

}  // namespace quern
