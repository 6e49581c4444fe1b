// Laws of passes, swept over every pass and model: the graph verifies afterwards, a second run finds nothing, the outputs stay within the
// pass's tolerance, and the count is above 0 exactly when the text has changed.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>

#include "libcore/graph/op.h"
#include "libcore/passes/passes.h"
#include "tests/laws/common.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(passes)

namespace {

struct Subject {
    std::string path;
    Model model;
    std::vector<Tensor> inputs, outputs;
    bool runs = true;  // random numbers are no inputs of a few exported nets, whose outputs are not compared
};

// The models of all laws, exported loops that are a recurrent operator, what torch exports, attention as our own writer spells it
// out, and com.microsoft's, what computes in shorter floats, and normalizations by lengths.
std::vector<std::string> paths() {
    std::vector<std::string> out = laws::model_paths("keras");
    for (const char* name : {"gru", "lstm", "lstm_flat"}) {
        const std::string path = fmt::format("{}/keras/{}.float.tflite", QUERN_EXPORTED_MODELS, name);
        if (std::find(out.begin(), out.end(), path) == out.end()) out.push_back(path);
    }
    for (std::string& path : laws::exported_paths("torch")) out.push_back(std::move(path));
    for (const char* name : {"attention_parts", "attention_contrib", "halves", "lengths"})
        out.push_back(fmt::format("{}/../{}.mlir", QUERN_EXPORTED_MODELS, name));
    return out;
}

const std::vector<Subject>& subjects() {
    static const auto all = [] {
        std::vector<Subject> out;
        for (const std::string& path : paths()) {
            Subject subject{path, read_model(path), {}, {}};
            subject.inputs = laws::random_inputs(subject.model.graph);
            try {
                subject.outputs = laws::outputs_of(subject.model.graph, subject.inputs);
            } catch (const Error& error) {
                if (path.find("/torch/") == path.npos) throw;
                BOOST_TEST_MESSAGE(path << " does not run: " << error.message());
                subject.runs = false;
            }
            out.push_back(std::move(subject));
        }
        return out;
    }();
    return all;
}

// As a graph takes or gave the numbers, in whichever float type.
Tensor as(DType dtype, const Tensor& tensor) {
    return is_float(tensor.dtype) && is_float(dtype) && tensor.dtype != dtype ? from_doubles(dtype, tensor.dims, to_doubles(tensor))
                                                                              : tensor;
}

// The graph in float32 of one in shorter floats.
void check_widened(const Subject& subject, const Graph& graph, double tolerance, const std::string& place) {
    if (!subject.runs) return;
    std::vector<Tensor> inputs = subject.inputs;
    for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = as(graph.value(graph.inputs[i]).type.dtype, inputs[i]);
    const auto outputs = laws::outputs_of(graph, inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
        BOOST_TEST((outputs[i].dtype != DType::f16 && outputs[i].dtype != DType::bf16), place << ": output " << i);
        const double difference = laws::difference(as(subject.outputs[i].dtype, outputs[i]), subject.outputs[i]);
        BOOST_TEST(difference <= tolerance, place << ": output " << i << " differs by " << difference << ", allowed " << tolerance);
    }
}

void check_outputs(const Subject& subject, const Graph& graph, double tolerance, const std::string& place) {
    if (!subject.runs) return;
    const auto outputs = laws::outputs_of(graph, subject.inputs);
    BOOST_REQUIRE(outputs.size() == subject.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
        const double difference = laws::difference(outputs[i], subject.outputs[i]);
        BOOST_TEST(difference <= tolerance, place << ": output " << i << " differs by " << difference << ", allowed " << tolerance);
    }
}

// Every pass must change something somewhere, else its laws hold for nothing.
int sweep(const Pass& pass) {
    int total = 0;
    for (const Subject& subject : subjects()) {
        const std::string place = std::string(pass.name) + " on " + subject.path;
        Graph graph = subject.model.graph;
        const std::string before = laws::text_of(graph);
        const int changes = pass.run(graph);
        const std::string after = laws::text_of(graph);
        BOOST_TEST((changes > 0) == (before != after),
                   place << ": " << changes << " changes, but the text is " << (before == after ? "the same" : "another"));
        if (changes == 0) continue;
        total += changes;
        try {
            infer_types(graph);
            verify(graph);
            (&pass == &to_float32 ? check_widened : check_outputs)(subject, graph, pass.tolerance, place);
            BOOST_TEST(pass.run(graph) == 0, place << ": a second run finds more");
        } catch (const Error& error) {
            BOOST_ERROR(place << ": " << error.message());
        }
    }
    BOOST_TEST_MESSAGE(pass.name << ": " << total << " changes");
    return total;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_pass) {
    for (const Pass* pass : all_passes()) BOOST_TEST(sweep(*pass) > 0, pass->name << " changes no model");
}

BOOST_AUTO_TEST_CASE(default_pipeline) {
    for (const Subject& subject : subjects()) {
        const auto passes = default_passes();
        double tolerance = 0;
        for (const Pass* pass : passes) tolerance += pass->tolerance;
        Graph graph = subject.model.graph;
        run_passes(graph, passes, [&](const Pass& pass, const Graph& now, int, double) {
            try {
                verify(now);
            } catch (const Error& error) {
                BOOST_ERROR(pass.name << " on " << subject.path << ": " << error.message());
            }
        });
        check_outputs(subject, graph, tolerance, "the default pipeline on " + subject.path);
        const std::string simplified = laws::text_of(graph);
        BOOST_TEST(run_passes(graph, passes) == 0, subject.path << ": the pipeline is not done after it has ended");
        BOOST_TEST((laws::text_of(graph) == simplified));
    }
}

BOOST_AUTO_TEST_SUITE_END()
