// Laws of the formats that keep everything: what is read back prints the same, byte for byte.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include <unistd.h>

#include "formats/native/native.h"
#include "formats/text/text.h"
#include "libcore/os/io.h"
#include "libcore/passes/pass.h"
#include "tests/laws/common.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(formats)

namespace {

// Each model as it is read, and simplified with its encodings folded and its channels last.
template <class Fn>
void for_each_model(const Fn& fn) {
    for (const std::string& path : laws::model_paths()) {
        Model model = read_model(path);
        fn(model, path);
        run_passes(model.graph, default_passes());
        pass_named("move_layout").run(model.graph);
        model.facts["ranges"] = "{\"kind\": \"ranges\"}";
        fn(model, path + " (simplified)");
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(text_round_trip) {
    for_each_model([](const Model& model, const std::string& name) {
        const std::string once = laws::text_of(model);
        BOOST_TEST((laws::text_of(parse_text(once)) == once), name << " changes on the way through the text form");
    });
}

BOOST_AUTO_TEST_CASE(native_round_trip) {
    const std::string file = (std::filesystem::temp_directory_path() / ("quern-laws-" + std::to_string(::getpid()))).string();
    for_each_model([&](const Model& model, const std::string& name) {
        native_format::write(model, file, {});
        const Bytes bytes = map_input(file);
        const Model back = native_format::read(bytes, file);
        native_format::check_digests(bytes);
        BOOST_TEST((laws::text_of(back) == laws::text_of(model)), name << " changes on the way through the native format");
        native_format::write(back, file, {});
        BOOST_TEST((map_input(file).text() == bytes.text()), name << " gives other bytes when it is written again");
    });
    std::filesystem::remove(file);
}

BOOST_AUTO_TEST_SUITE_END()
