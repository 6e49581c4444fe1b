// Laws of TFLite and Circle over every public file: written once, a file stays as it is when it is read and written again, also by way of
// the other format.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include <unistd.h>

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
            BOOST_TEST((laws::text_of(scratch.through(there, own).graph) == laws::text_of(once.graph)),
                       path << " changes on the way through " << other);
            ++count;
        } catch (const Error& error) {
            BOOST_TEST_ERROR(path << ": " << error.what());
        }
    }
    BOOST_TEST_MESSAGE(count << " files");
}

BOOST_AUTO_TEST_SUITE_END()
