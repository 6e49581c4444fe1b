#include "formats/gguf/file/importance.h"

#include <boost/test/unit_test.hpp>

#include "libcore/base/error.h"

using namespace quern;

namespace {

Bytes written(const gguf::ImportanceSums& sums) {
    std::vector<std::byte> all;
    OutputFile file([&](const void* data, size_t size) {
        const auto* bytes = static_cast<const std::byte*>(data);
        all.insert(all.end(), bytes, bytes + size);
    });
    gguf::write_importance(sums, file);
    file.commit();
    return Bytes::own(std::move(all));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(importance)

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
    gguf::ImportanceSums sums;
    sums.tensors["a.weight"] = {{2, 8, 0.5}, 4};
    sums.tensors["b.weight"] = {{3}, 0};
    sums.dataset = "text";
    sums.chunks = 7;
    sums.chunk_size = 128;
    const gguf::Importance read = gguf::read_importance(written(sums), "x.gguf");
    BOOST_TEST(read.columns.at("a.weight") == (std::vector<float>{0.5F, 2, 0.125F}));
    BOOST_TEST(read.columns.at("b.weight") == std::vector<float>{1});  // nothing was summed: all count alike
    BOOST_TEST(read.columns.size() == 2);
    BOOST_TEST(read.datasets == std::vector<std::string>{"text"});
    BOOST_TEST(read.chunks == 7);
    BOOST_TEST(read.chunk_size == 128);
}

BOOST_AUTO_TEST_CASE(names_too_long) {
    gguf::ImportanceSums sums;
    sums.tensors[std::string(60, 'a')] = {{1}, 1};
    BOOST_CHECK_THROW(written(sums), Error);
}

BOOST_AUTO_TEST_SUITE_END()
