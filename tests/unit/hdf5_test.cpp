// HDF5 files that are broken in every place, and a reader that crashes, hangs or goes.
#include <filesystem>
#include <fstream>
#include <random>

#include "formats/hdf5/hdf5.h"
#include "libcore/os/io.h"

using namespace quern;

namespace {

namespace fs = std::filesystem;

struct Folder {
    fs::path path = fs::temp_directory_path() / fmt::format("quern-hdf5-test-{}", ::getpid());
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string write(const std::string& name, std::string_view bytes, bool executable = false) const {
        const std::string file = path / name;
        std::ofstream(file, std::ios::binary) << bytes;
        if (executable) fs::permissions(file, fs::perms::owner_all);
        return file;
    }
};

const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
const std::vector<int64_t> wide{-1, 1LL << 40};

std::string image() {
    const Bytes bytes = hdf5_image({"value/0", "value/1", "value/deep/er/2"},
                                   {Tensor::make<float>({2, 3}, numbers), Tensor::make<int64_t>({2}, wide), Tensor::scalar<uint8_t>(7)});
    return std::string(bytes.text());
}

// Everything that the file says it has; true: nothing was refused.
bool read_all(const std::string& path) {
    bool whole = true;
    try {
        const Hdf5File file(path);
        for (size_t i = 0; i < file.datasets().size(); ++i) {
            const Hdf5Dataset& dataset = file.datasets()[i];
            try {
                const Tensor tensor = file.rows(i, 0, dataset.dims.empty() ? 1 : static_cast<uint64_t>(dataset.dims[0]));
                BOOST_TEST(tensor.data.size() == storage_size(tensor.dtype, static_cast<uint64_t>(tensor.count())));
            } catch (const Error& error) {
                BOOST_TEST((error.exit() == Exit::bad_input || error.exit() == Exit::unsupported), error.message());
                whole = false;
            }
        }
        return whole && file.datasets().size() == 3;
    } catch (const Error& error) {
        BOOST_TEST((error.exit() == Exit::bad_input), error.message());
        BOOST_TEST(error.message().starts_with(path + ": HDF5: "), error.message());
        BOOST_TEST(error.message().find('\n') == std::string::npos);
        return false;
    }
}

std::string failure(const std::string& path, const std::string& program, int seconds) {
    try {
        const Hdf5File file(path, program, seconds);
        return fmt::format("{} datasets", file.datasets().size());
    } catch (const Error& error) {
        return error.message().substr(path.size() + 2);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hdf5)

BOOST_AUTO_TEST_CASE(round_trip) {
    const Folder folder;
    const Hdf5File file(folder.write("a.h5", image()));
    BOOST_REQUIRE(file.datasets().size() == 3U);
    BOOST_TEST((file.datasets()[0].path == "value/0" && file.datasets()[0].dims == Dims{2, 3} && file.datasets()[0].dtype == DType::f32));
    const Tensor row = file.rows(0, 1, 1);
    BOOST_TEST((row.dims == Dims{1, 3}));
    BOOST_TEST(row.view<float>()[2] == 6.0F);
    BOOST_TEST(file.rows(*file.find("value/1"), 0, 2).view<int64_t>()[1] == 1LL << 40);
    BOOST_TEST(file.rows(*file.find("value/deep/er/2"), 0, 1).view<uint8_t>()[0] == 7);
    BOOST_TEST(!file.find("value"));
    BOOST_CHECK_EXCEPTION(file.rows(0, 1, 2), Error, [](const Error& e) { return e.exit() == Exit::bad_input; });
    BOOST_TEST((file.rows(0, 0, 2).dims == Dims{2, 3}));  // still there after an error
    BOOST_TEST(image() == image());
}

BOOST_AUTO_TEST_CASE(broken_anywhere) {
    const Folder folder;
    const std::string whole = image();
    std::mt19937 random(3);
    size_t refused = 0;
    for (int i = 0; i < 300; ++i) {
        std::string bytes = whole;
        for (int k = 0; k <= i % 4; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
        refused += !read_all(folder.write("broken.h5", bytes));
    }
    BOOST_TEST(refused > 50U);  // most bytes are numbers or free
    for (size_t i = 0; i < 40; ++i) BOOST_TEST(!read_all(folder.write("short.h5", whole.substr(0, whole.size() * i / 40))));
}

BOOST_AUTO_TEST_CASE(reader_that_fails) {
    const Folder folder;
    const std::string path = folder.write("a.h5", image());
    BOOST_TEST(failure(path, folder.write("crash", "#!/bin/sh\nkill -SEGV $$\n", true), 60) ==
               "HDF5: libhdf5 crashed on it (signal 11, Segmentation fault)");
    BOOST_TEST(failure(path, folder.write("hang", "#!/bin/sh\nexec sleep 1000\n", true), 1) == "HDF5: libhdf5 has not read it within 1 s");
    BOOST_TEST(failure(path, folder.write("end", "#!/bin/sh\nexit 5\n", true), 60) ==
               "HDF5: libhdf5 ended its process on it (exit code 5)");
    // An answer of 2^40 bytes.
    const std::string large = "#!/bin/sh\nprintf '\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0'; exec sleep 1000\n";
    BOOST_TEST(failure(path, folder.write("large", large, true), 60).find("at most") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
