// Runs one case in a child process, so that a crash or a hang is a result like any other.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/graph/tensor.h"
#include "tests/conformance/cases.h"

namespace conformance {

// excused: differs from an expected result that is itself off; never counted as passed.
enum class Verdict : uint8_t { pass, unsupported, wrong, crash, excused };
std::string_view name_of(Verdict verdict);

struct Result {
    Verdict verdict = Verdict::crash;
    std::string reason;
    bool claimed = false;             // every (operator, element type) pair of the model is in the table
    std::set<std::string> operators;  // "Conv", "com.microsoft.QGemm"; empty if the model cannot be read
    std::set<std::string> pairs;      // "Conv float32"
};

// `reference`: reference rows only; else the fast kernels where there are any. Integer outputs may be `steps` apart.
Result run_case(const Case& test, bool reference, int64_t steps = 0);

// Runs `body` in a child process.
Result in_child(const std::function<Result()>& body);

// The type of a case's data: older files hold bfloat16 as uint16.
quern::DType dtype_of_data(const quern::Tensor& data, quern::DType declared);

// input_0.pb, input_1.pb ... of a folder, as those values of the graph.
std::vector<quern::Tensor> values_in(const std::filesystem::path& folder, const std::string& prefix, const quern::Graph& graph,
                                     const std::vector<quern::ValueId>& ids);

}  // namespace conformance
