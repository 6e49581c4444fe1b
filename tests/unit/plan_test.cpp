// Plans of compiled programs, as hostile bytes: what a reader would meet at an address where it may not lie is refused.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstring>

#include "formats/context/program_generated.h"
#include "formats/context/sections.h"
#include "libcore/backend/program_blob.h"
#include "tests/common/graph_of.h"

using namespace quern;
using context_format::Sections;

BOOST_AUTO_TEST_SUITE(plan)

namespace {

Bytes program() {
    const std::array<float, 4> numbers{1, 2, 3, 4};
    const Graph graph = graph_of("%y = \"onnx.MatMul\"(%x, %w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>",
                                 {{"w", Tensor::make<float>({2, 2}, numbers)}});
    SpoolFile spool;
    context_format::write_program(graph, {}, spool.file());
    return spool.finish();
}

// The plan, its arrays listed once more at its end, `shift` bytes from where such a list may lie; that one is read.
std::string with_arrays_at_end(const Bytes& plan, size_t shift) {
    std::string bytes(plan.text());
    const auto* arrays = flatbuffers::GetRoot<quern::context::Program>(bytes.data())->arrays();
    BOOST_REQUIRE(arrays);
    uint32_t count = arrays->size();
    std::string list(reinterpret_cast<const char*>(&count), sizeof count);
    list.append(reinterpret_cast<const char*>(arrays->Data()), count * sizeof(quern::context::Array));
    const uint8_t* field = flatbuffers::GetRoot<flatbuffers::Table>(bytes.data())->GetAddressOf(quern::context::Program::VT_ARRAYS);
    const auto at = static_cast<size_t>(field - reinterpret_cast<const uint8_t*>(bytes.data()));
    bytes.append((12 - bytes.size() % 8) % 8 + shift, '\0');  // the count has four bytes
    const auto offset = static_cast<uint32_t>(bytes.size() - at);
    std::memcpy(bytes.data() + at, &offset, sizeof offset);
    return bytes + list;
}

void load(const Sections& sections, const std::string& plan) {
    SpoolFile spool;
    context_format::write_sections("QUERNPRG",
                                   {{"plan", 0, {Bytes::copy(plan.data(), plan.size())}},
                                    {"graph", 0, {sections.need("graph")}, true},
                                    {"arrays", 0, {sections.need("arrays")}, true}},
                                   spool.file());
    context_format::load_program(spool.finish());
}

}  // namespace

BOOST_AUTO_TEST_CASE(lists_lie_where_their_items_may) {
    const Bytes whole = program();
    const Sections sections("QUERNPRG", whole);
    load(sections, with_arrays_at_end(sections.need("plan"), 0));
    BOOST_CHECK_EXCEPTION(load(sections, with_arrays_at_end(sections.need("plan"), 4)), Error, [](const Error& error) {
        return error.exit() == Exit::bad_input && error.message().ends_with("is not aligned");
    });
}

BOOST_AUTO_TEST_SUITE_END()
