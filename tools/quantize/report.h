// quantize's report: what the tool knows beside what the quantizer decided.
#pragma once

#include <optional>
#include <string>

#include "libcore/check/evaluate.h"
#include "libcore/cli/tool.h"
#include "libcore/quantize/quantize_file.h"

namespace quern {

class ReportFlags {
   public:
    void add(Options& add);
    void check_usage() const;  // throws Exit::usage for suffixes that are not formats of reports
    bool given() const { return !file_.empty(); }
    const std::string& file() const { return file_; }

    // Of what was written to `output`; `evaluation`: that of a budget.
    void write(QuantizeFileOutcome outcome, const QuantRequest& request, const std::string& output,
               const std::optional<Evaluation>& evaluation) const;

   private:
    std::string file_;
};

// Of weights of few bits, which keep little of any net: "weight "w" keeps only 8.24 dB in int2, the worst of 3: ..."; "": there are none.
std::string weights_lost_text(const QuantReport& report);

}  // namespace quern
