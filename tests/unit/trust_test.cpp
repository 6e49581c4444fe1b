// Data never names code: what a file says as a device or a back end is a name, in every format; and what helper processes cannot do.
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "formats/format.h"
#include "formats/read.h"
#include "libcore/deploy/context.h"
#include "libcore/graph/device.h"
#include "libcore/os/confine.h"
#include "libcore/os/sanitized.h"
#include "libcore/place/target.h"
#include "libcore/place/target_file.h"
#include "tests/fuzz/context_repair.h"
#include "tests/unit/parsed_graph.h"

using namespace quern;
using quern::test::parsed;

BOOST_AUTO_TEST_SUITE(trust)

namespace {

const char* const paths[] = {"./lib.bin", "/usr/lib/libm.so.6", "../npu", "npu/", "a\\b", "npu one", "npu\n"};

struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / "quern-trust-XXXXXX").string();
    Folder() { BOOST_REQUIRE(::mkdtemp(path.data())); }
    ~Folder() { std::filesystem::remove_all(path); }
};

Graph net(const std::string& device) {
    Graph graph = parsed(R"(func.func @net(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %a = "onnx.Relu"(%x) {onnx_node_name = "placed"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = "onnx.Tanh"(%a) {onnx_node_name = "other"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %a, %y : tensor<2x3xf32>, tensor<2x3xf32>
})");
    graph.node(graph.order()[0]).device = device;
    return graph;
}

std::string failure(const std::function<void()>& body) {
    try {
        body();
    } catch (const Error& error) {
        return fmt::format("{}: {}", static_cast<int>(error.exit()), error.message());
    }
    return "";
}

// The devices that a file has which was made of a graph on `device`.
std::set<std::string> devices_through(const Format& format, const std::string& device) {
    const Folder folder;
    const std::string path = folder.path + "/net" + std::string(format.suffixes.substr(0, format.suffixes.find(' ')));
    Model model;
    model.graph = net(device);
    format.write(model, path, {});
    std::set<std::string> found;
    const Graph read = read_model(path).graph;
    for (const NodeId id : read.order()) found.insert(read.node(id).device);
    return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_device_is_a_name_in_every_format) {
    size_t carry = 0;
    for (const Format& format : all_formats()) {
        if (!format.write || format.name == "gguf") continue;  // that has language models only, and no devices
        if (!devices_through(format, "npu-1").contains("npu-1")) {
            for (const char* device : paths) BOOST_TEST(devices_through(format, device) == std::set<std::string>{""}, format.name);
            continue;
        }
        ++carry;
        for (const char* device : paths) {
            const std::string said = failure([&] { devices_through(format, device); });
            BOOST_TEST(said.starts_with("3: "), format.name << ", " << device << ": " << said);
            BOOST_TEST(said.find("node \"placed\" (Relu): its device is \"") != said.npos, format.name << ", " << device << ": " << said);
        }
    }
    BOOST_TEST(carry == 3u);  // native, ONNX, text
}

BOOST_AUTO_TEST_CASE(a_device_is_a_name_in_bodies) {
    const std::string text = R"(func.func @net(%c: tensor<i1>, %v: tensor<2xf32>) -> (tensor<2xf32>) {
    %1 = "onnx.If"(%c) ({
      %inner = "quern.Capture"(%v) : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %inner : tensor<2xf32>
    }, {
    ^"a body"():
      %2 = "onnx.Relu"(%v) {device = "./lib.bin", onnx_node_name = "r"} : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %2 : tensor<2xf32>
    }) {onnx_node_name = "if"} : (tensor<i1>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
})";
    BOOST_TEST(failure([&] { read_model(Bytes::copy(text.data(), text.size()), ""); }).find("its device is \"./lib.bin\"") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_context_names_devices_and_back_ends) {
    const auto program = MixedProgram::compile(net("npu"), {});
    SpoolFile spool;
    write_context({{"main", program, "00"}}, spool.file());
    const Bytes whole = spool.finish();
    BOOST_TEST(Context(whole).graphs()[0].parts[0].device == "npu");
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text(whole.text());
        const size_t at = text.find(from);
        BOOST_REQUIRE(at != text.npos && from.size() == to.size());
        text.replace(at, to.size(), to);
        repair_sections(reinterpret_cast<std::byte*>(text.data()), text.size());
        return failure([&] { Context(Bytes::copy(text.data(), text.size())); });
    };
    BOOST_TEST(changed(R"("device":"npu")", R"("device":"./e")").find("3: ") == 0u);
    const std::string said = changed(R"("backend":"ref")", R"("backend":"./e")");
    BOOST_TEST(said.find("is \"./e\", need a name") != said.npos, said);
    BOOST_TEST(failure([] { MixedProgram::compile(net("./e"), {}); }).starts_with("3: device \"./e\": need a name"));
}

BOOST_AUTO_TEST_CASE(a_target_names_back_ends) {
    const auto with = [](const std::string& name) {
        return failure([&] {
            place::parse_target(R"({"kind": "target", "version": 1, "name": "t", "devices": [{"name": "npu", "backend": ")" + name +
                                R"("}]})");
        });
    };
    BOOST_TEST(with("acme").empty());
    BOOST_TEST(with("./acme.so").starts_with("3: devices[0].backend: is \"./acme.so\", need a name"));
}

BOOST_AUTO_TEST_CASE(names_of_devices) {
    for (const char* name : {"npu", "NPU-1", "npu:0", "abc_back", "a.b"}) BOOST_TEST(is_device_name(name), name);
    for (const char* name : paths) BOOST_TEST(!is_device_name(name), name);
    BOOST_TEST(!is_device_name(""));
    BOOST_TEST(!is_device_name(std::string(256, 'a')));
}

namespace {

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool filtered = !sanitized;
#else
constexpr bool filtered = false;
#endif

// Which of these succeed in a process that is confined: a letter each.
std::string left(Confined what) {
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    const pid_t tool = ::getpid(), child = ::fork();
    if (child == 0) {
        confine(what, uint64_t{256} << 20);
        std::string done;
        const auto note = [&](char letter, bool good) {
            if (good) done += letter;
        };
        rlimit core{1, 1};
        ::getrlimit(RLIMIT_CORE, &core);
        note('c', core.rlim_max == 0);
        note('N', ::syscall(SYS_socket, AF_INET, SOCK_STREAM, 0) >= 0);
        note('n', ::syscall(SYS_socket, AF_INET6, SOCK_DGRAM, 0) >= 0);
        note('R', ::syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 0) >= 0);
        note('u', ::syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0) >= 0);
        note('k', ::kill(tool, 0) == 0);
        note('K', ::kill(-1, 0) == 0);
        note('o', ::open("/dev/null", O_RDONLY) >= 0);
        note('w', ::open("/dev/null", O_WRONLY) >= 0);
        note('m', ::mmap(nullptr, size_t{4} << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
        if (what != Confined::reader) {
            bool ran = false;
            std::thread([&] { ran = true; }).join();
            note('t', ran);
        }
        const long process = ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (process == 0) {
            char program[] = "/bin/true";
            char* const words[] = {program, nullptr};
            ::execv(program, words);
            ::_exit(9);
        }
        int status = 1;
        note('p', process > 0 && ::waitpid(static_cast<pid_t>(process), &status, 0) > 0 && status == 0);
        (void)!::write(ends[1], done.data(), done.size());
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string said;
    char letter = 0;
    while (::read(ends[0], &letter, 1) == 1) said += letter;
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return said;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_helpers_can_do) {
    if (!filtered) return;
    BOOST_TEST(left(Confined::reader) == "o");  // what getrlimit is made of could set limits, too
    BOOST_TEST(left(Confined::code) == "cowt");
    BOOST_TEST(left(Confined::programs) == "cuowtp");
}

BOOST_AUTO_TEST_SUITE_END()
