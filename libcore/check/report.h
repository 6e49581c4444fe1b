// What `check` found, as text, as JSON and as a page of HTML.
#pragma once

#include "libcore/check/proposal.h"
#include "libcore/quant/report/coverage.h"

namespace quern {

// A quantized model that was evaluated: a type that was tried, or the one given.
struct CheckedModel {
    std::string name;
    Evaluation evaluation;
    Coverage coverage;
    uint64_t bytes = 0;  // of constants
    std::vector<std::string> missed;
};

// What evaluations of single units gave, beside the estimates.
struct CheckedUnit {
    std::string name;
    double alone_db = 0, without_db = 0;  // of the worst output
};

struct CheckReport {
    std::string model;    // its file's name
    std::string backend;  // what the quantized models ran on; "": here
    uint64_t samples = 0, exact_bytes = 0;
    std::vector<CheckedModel> models;  // the first is the one that the sensitivities are of
    std::string worst;                 // the output that they are of; "": none has noise
    double worst_fake_db = 0;          // in float arithmetic, as are the next two
    // NaN: not known, as the float model has no constants of these names.
    double weights_db = 0, activations_db = 0;  // if they alone were quantized, evaluated
    std::vector<std::string> missing_weights;   // that the float model has not by name and shape: some figures are not known then
    std::vector<Sensitivity> rows;
    std::vector<std::string> causes;  // a text for each row
    std::vector<CheckedUnit> checked;
    std::optional<Proposal> proposal;
    std::string proposal_file, proposal_rules;  // where it was written, and what
    uint64_t evaluations = 0, passes = 0;
};

// `rows`: of the table of sensitivities, at most.
std::string check_text(const CheckReport& report, size_t rows);
std::string check_json(const CheckReport& report);
std::string check_html(const CheckReport& report);

}  // namespace quern
