// Laws of TFLite and Circle over every public file: written once, a file stays as it is when it is read and written again, also by way of
// the other format. Blocks become real numbers on their way into TFLite, where no runtime has a kernel for them, and
// products of more than two dims products of rows on their way into Circle: those then stay.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include <unistd.h>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/shared.h"
#include "tests/laws/common.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(edge_formats)

namespace {

struct Scratch {
    std::filesystem::path folder = std::filesystem::temp_directory_path() / ("quern-edge-" + std::to_string(::getpid()));
    Scratch() { std::filesystem::create_directory(folder); }
    ~Scratch() { std::filesystem::remove_all(folder); }

    Model through(const Model& model, const std::string& format) const {
        const std::string path = (folder / ("model." + format)).string();
        write_model(model, path, format, {});
        return read_model(path);
    }
};

bool has_blocks(const Graph& model) {
    bool found = false;
    for_each_graph(model, [&](const Graph& graph, const std::string&) {
        for (size_t i = 0; i < graph.value_count(); ++i) {
            const Value& value = graph.value(static_cast<ValueId>(i));
            found = found || (value.enc && value.enc->block > 0);
        }
    });
    return found;
}

// A product whose data have more than two dims, which Circle files say with two.
bool has_products_of_stacks(const Graph& model) {
    bool found = false;
    for_each_graph(model, [&](const Graph& graph, const std::string&) {
        for (const NodeId id : graph.order()) {
            const Node* rows = graph.node(id).is(ops::Gemm) ? made_by(graph, graph.node(id).in[0], ops::Reshape) : nullptr;
            found = found || (rows && graph.value(rows->in[0]).type.shape.rank() > 2);
        }
    });
    return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(written_again) {
    const Scratch scratch;
    size_t count = 0;
    for (const std::string& path : laws::model_paths()) {
        const bool tflite = path.ends_with(".tflite");
        if (!tflite && !path.ends_with(".circle")) continue;
        const std::string own = tflite ? "tflite" : "circle", other = tflite ? "circle" : "tflite";
        try {
            const Model once = scratch.through(read_model(path), own);
            BOOST_TEST((laws::text_of(scratch.through(once, own).graph) == laws::text_of(once.graph)),
                       path << " changes when it is written again");
            const Model there = scratch.through(once, other);
            const Model back = scratch.through(there, own);
            const bool blocks = other == "tflite" && has_blocks(once.graph);
            if (blocks) BOOST_TEST(!has_blocks(there.graph), path << " has blocks as TFLite");
            if (blocks || (other == "circle" && has_products_of_stacks(once.graph))) {
                BOOST_TEST((laws::text_of(scratch.through(back, other).graph) == laws::text_of(there.graph)),
                           path << " changes on the way through " << own << " once it is said otherwise");
            } else {
                BOOST_TEST((laws::text_of(back.graph) == laws::text_of(once.graph)), path << " changes on the way through " << other);
            }
            ++count;
        } catch (const Error& error) {
            BOOST_TEST_ERROR(path << ": " << error.what());
        }
    }
    BOOST_TEST_MESSAGE(count << " files");
}

BOOST_AUTO_TEST_SUITE_END()
