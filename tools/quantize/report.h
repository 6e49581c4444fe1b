// quantize's report: what the tool knows beside what the quantizer decided.
#pragma once

#include <optional>
#include <string>

#include "formats/format.h"
#include "libcore/check/evaluate.h"
#include "libcore/cli/tool.h"
#include "libcore/quant/quantize.h"

namespace quern {

class ReportFlags {
   public:
    void add(Options& add);
    void check_usage() const;  // throws Exit::usage for suffixes that are no format of reports
    bool given() const { return !file_.empty(); }
    const std::string& file() const { return file_; }

    void note_source(const std::string& path, const Model& model);  // as it was read
    void note_evaluation(const Evaluation& evaluation) { evaluation_ = evaluation; }
    // After the model was written to `output`.
    void write(QuantReport report, const Graph& quantized, const QuantRequest& request, const std::string& output) const;

   private:
    std::string file_, model_;
    uint64_t constants_ = 0;
    std::optional<uint64_t> bytes_;
    std::optional<Evaluation> evaluation_;
};

}  // namespace quern
