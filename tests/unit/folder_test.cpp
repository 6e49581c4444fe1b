// What a file or a folder names: where links may lead, and that nothing is waited for.
#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include <sys/stat.h>

#include "libcore/base/error.h"
#include "libcore/os/folder.h"
#include "libcore/os/io.h"
#include "tests/unit/onnx_files.h"

using namespace quern;
using quern::test::Folder;

namespace fs = std::filesystem;

namespace {

template <class Fn>
std::string said(const Fn& fn) {
    try {
        return std::string(fn().text());
    } catch (const Error& error) {
        return fmt::format("{}: {}{}", static_cast<int>(error.exit()), error.message(), error.hint().empty() ? "" : " (hint)");
    }
}

constexpr const char* outside = "3: \"net.data\" leaves the folder of the model through a link (hint)";

}  // namespace

BOOST_AUTO_TEST_SUITE(members_of_folders)

BOOST_AUTO_TEST_CASE(links_within_the_folder_are_followed) {
    const Folder folder;
    fs::create_directories(folder.file("net/parts"));
    folder.write("net/net.onnx", "model");
    folder.write("net/parts/one", "data");
    fs::create_symlink("parts/one", folder.file("net/net.data"));
    fs::create_directory_symlink(folder.file("net"), folder.file("other"));
    for (const char* name : {"net", "other"}) {
        BOOST_TEST(said([&] { return map_inside(folder.file(name), "net.data"); }) == "data");
        BOOST_TEST(said([&] { return map_beside(folder.file(name) + "/net.onnx", "net.data"); }) == "data");
    }
}

BOOST_AUTO_TEST_CASE(links_may_lead_to_where_the_file_really_lies) {
    const Folder folder;
    fs::create_directories(folder.file("store/deep"));
    fs::create_directories(folder.file("net"));
    folder.write("store/model", "model");
    folder.write("store/deep/data", "data");
    folder.write("secret", "secret");
    fs::create_symlink("../store/model", folder.file("net/net.onnx"));
    fs::create_symlink("../store/deep/data", folder.file("net/net.data"));
    BOOST_TEST(said([&] { return map_beside(folder.file("net/net.onnx"), "net.data"); }) == "data");
    BOOST_TEST(said([&] { return map_inside(folder.file("net"), "net.data"); }) == outside);
    fs::remove(folder.file("net/net.data"));
    fs::create_symlink("../secret", folder.file("net/net.data"));
    BOOST_TEST(said([&] { return map_beside(folder.file("net/net.onnx"), "net.data"); }) == outside);
}

BOOST_AUTO_TEST_CASE(the_cache_of_hugging_face) {
    const Folder folder;
    fs::create_directories(folder.file("cache/blobs"));
    fs::create_directories(folder.file("cache/snapshots/1f/onnx"));
    folder.write("cache/blobs/ab", "data");
    folder.write("cache/refs", "secret");
    const std::string plain = folder.write("cache/snapshots/1f/net.onnx", "model");  // no link itself
    const std::string deep = folder.write("cache/snapshots/1f/onnx/net.onnx", "model");
    fs::create_symlink("../../blobs/ab", folder.file("cache/snapshots/1f/net.data"));
    fs::create_symlink("../../../blobs/ab", folder.file("cache/snapshots/1f/onnx/net.data"));
    for (const std::string& model : {plain, deep}) {
        BOOST_TEST(said([&] { return map_beside(model, "net.data"); }) == "data");
        BOOST_TEST(said([&] { return map_inside(fs::path(model).parent_path().string(), "net.data"); }) == "data");
    }
    fs::remove(folder.file("cache/snapshots/1f/net.data"));
    fs::create_symlink("../../refs", folder.file("cache/snapshots/1f/net.data"));
    BOOST_TEST(said([&] { return map_beside(plain, "net.data"); }) == outside);
}

// Blobs that are a link themselves lead out.
BOOST_AUTO_TEST_CASE(a_copy_of_that_layout_is_no_way_out) {
    const Folder folder;
    fs::create_directories(folder.file("given/snapshots/1f"));
    fs::create_directories(folder.file("home"));
    folder.write("home/secret", "secret");
    const std::string model = folder.write("given/snapshots/1f/net.onnx", "model");
    fs::create_directory_symlink("../home", folder.file("given/blobs"));
    fs::create_symlink("../../blobs/secret", folder.file("given/snapshots/1f/net.data"));
    BOOST_TEST(said([&] { return map_beside(model, "net.data"); }) == outside);
    ::setenv("QUERN_FOLLOW_LINKS", "1", 1);
    BOOST_TEST(said([&] { return map_beside(model, "net.data"); }) == "secret");
    BOOST_TEST(said([&] { return map_beside(model, "../../../home/secret"); }).starts_with("3: "));
    ::setenv("QUERN_FOLLOW_LINKS", "0", 1);
    BOOST_TEST(said([&] { return map_beside(model, "net.data"); }) == outside);
    ::unsetenv("QUERN_FOLLOW_LINKS");
}

BOOST_AUTO_TEST_CASE(only_regular_files_are_members) {
    const Folder folder;
    const std::string model = folder.write("net.onnx", "model");
    BOOST_REQUIRE(::mkfifo(folder.file("net.data").c_str(), 0600) == 0);
    BOOST_TEST(said([&] { return map_beside(model, "net.data"); }) == "3: \"net.data\" is not a file");
    BOOST_TEST(said([&] { return map_regular(folder.file("net.data")); }) == "3: is not a regular file");
    BOOST_TEST(said([&] { return map_regular("/dev/zero"); }) == "3: is not a regular file");
    BOOST_TEST(said([&] { return map_beside(model, "none"); }) == "3: \"none\" is not there");
}

BOOST_AUTO_TEST_SUITE_END()
