// What the tool takes from a helper process (run_protocol.h): nothing that it says ends or stops the tool.
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "libcore/backend/run_protocol.h"
#include "libcore/backend/shared_tensors.h"
#include "libcore/backend/wire.h"
#include "libcore/os/descriptors.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(wire)

BOOST_AUTO_TEST_CASE(messages_come_whole_and_with_their_descriptors) {
    const auto [a, b] = Wire::pair();
    Wire ours(a), theirs(b);
    const Descriptor memory(make_shared_memory("test"));
    const std::string text(100000, 'x');
    BOOST_TEST((ours.send({{"text", text}}, std::array{memory.fd}) == WireEnd::open));
    WireMessage got;
    BOOST_TEST((theirs.receive(got, wire_limit(5)) == WireEnd::open));
    BOOST_TEST(got.body["text"].get<std::string>() == text);
    ReceivedDescriptors descriptors(got.descriptors);
    const Descriptor taken(descriptors.take(0));
    BOOST_TEST(taken.fd >= 0);
    BOOST_CHECK_THROW(descriptors.take(0), Error);
    BOOST_CHECK_THROW(descriptors.take(1), Error);
}

BOOST_AUTO_TEST_CASE(silence_and_an_end_are_told_apart) {
    const auto [a, b] = Wire::pair();
    Wire ours(a);
    WireMessage got;
    BOOST_TEST((ours.receive(got, wire_limit(1)) == WireEnd::late));
    ::close(b);
    BOOST_TEST((ours.receive(got) == WireEnd::closed));
    BOOST_TEST((ours.send({{"ask", "run"}}) == WireEnd::closed));
}

BOOST_AUTO_TEST_CASE(a_reader_that_does_not_read_is_late) {
    const auto [a, b] = Wire::pair();
    const Descriptor deaf(b);
    Wire ours(a);
    BOOST_TEST((ours.send({{"text", std::string(4 << 20, 'x')}}, {}, wire_limit(1)) == WireEnd::late));
}

BOOST_AUTO_TEST_CASE(what_is_no_message_is_refused) {
    const auto said = [](uint32_t magic, uint32_t size, std::string_view text) {
        const auto [a, b] = Wire::pair();
        Wire ours(a);
        const Descriptor theirs(b);
        const uint32_t head[2] = {magic, size};
        BOOST_TEST(::write(theirs.fd, head, sizeof head) == static_cast<ssize_t>(sizeof head));
        BOOST_TEST(::write(theirs.fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
        WireMessage got;
        ours.receive(got, wire_limit(1));
    };
    BOOST_CHECK_THROW(said(0x31313131, 2, "{}"), Error);
    BOOST_CHECK_THROW(said(run_protocol::magic, 0xffffffff, "{}"), Error);
    BOOST_CHECK_THROW(said(run_protocol::magic, 2, "{{"), Error);
    BOOST_CHECK_NO_THROW(said(run_protocol::magic, 2, "{}"));
}

BOOST_AUTO_TEST_CASE(values_lie_in_their_memory_or_are_refused) {
    const std::vector<Port> ports{{"y", Type::tensor(DType::f32), {}}};
    const Descriptor memory(make_shared_memory("test"));
    const float numbers[] = {1, 2, 3};
    const std::vector<Stored> values{{Tensor::vector<float>(numbers), {}}};
    const Json list = write_values(memory.fd, values);
    BOOST_TEST(read_values(memory.fd, list, ports)[0].tensor.view<float>()[2] == 3);
    BOOST_TEST(map_values(memory.fd, list, ports)[0].tensor.view<float>()[1] == 2);
    const auto refused = [&](const char* text) { BOOST_CHECK_THROW(read_values(memory.fd, Json::parse(text), ports), Error); };
    refused("[]");
    refused("{}");
    refused("[[]]");
    refused(R"([[["float99", [3], 12]]])");
    refused(R"([[["float32", [3], 8]]])");
    refused(R"([[["float32", [-3], 12]]])");
    refused(R"([[["float32", [250000000000], 1000000000000]]])");
    refused(R"([[["float32", [4611686018427387904, 4], 0]]])");
    refused(R"([[["string", [1], 64]]])");
    BOOST_TEST(::ftruncate(memory.fd, off_t{1} << 40) == 0);  // which takes no memory there, and would here
    refused(R"([[["uint8", [1099511627776], 1099511627776]]])");
}

BOOST_AUTO_TEST_SUITE_END()
