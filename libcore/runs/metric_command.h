// A metric of the user's own: a command that reads outputs over samples from files and prints one number.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/samples/results.h"
#include "libcore/os/temporary.h"

namespace quern {

// What --metric has beside commands, where two models are compared.
inline constexpr std::string_view cosine_metric = "cosine", top5_metric = "top-5", iou_metric = "iou", iou_center_metric = "iou-center";
inline constexpr std::string_view built_in_metrics = "cosine, top-5, iou and iou-center";

// Outputs over samples in a temporary folder, as `run -o FOLDER --format npy` leaves them.
class OutputFiles {
   public:
    explicit OutputFiles(const std::vector<InputSpec>& outputs) : writer_(make_result_writer("npy", folder_.path(), outputs, false)) {}
    // `number` and `row`: those of Result.
    void write(uint64_t number, uint64_t row, const std::vector<Tensor>& outputs) {
        if (number == 0) first_row_ = row;
        writer_->write(number, outputs);
    }
    const std::string& folder() const { return folder_.path(); }
    uint64_t first_row() const { return first_row_; }

   private:
    TemporaryFolder folder_;
    std::unique_ptr<ResultWriter> writer_;
    uint64_t first_row_ = 0;
};

class MetricCommand {
   public:
    // `text`: for sh -c. `labels`: FILE[:COLUMN], next-token or "". `note`: sees what the command says beside its number.
    // Throws Exit::unsupported where code of others is forbidden.
    MetricCommand(std::string text, const std::string& labels, std::function<void(const std::string&)> note);

    // `model`: "float", or what the user calls the quantized one. `exact`: the float model's outputs; nullptr: they are not known.
    // Throws Exit::unsupported if the command fails or prints something else.
    double number(const std::string& model, const OutputFiles& outputs, const OutputFiles* exact) const;

   private:
    std::string text_;
    std::vector<std::string> variables_;  // of every call
    std::function<void(const std::string&)> note_;
};

}  // namespace quern
