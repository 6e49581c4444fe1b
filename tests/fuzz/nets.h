// Small nets for targets that do more than read: of a file of any format, or drawn from the operators' rows by the fuzzer's bytes.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <optional>

#include "formats/read.h"
#include "formats/text/text.h"
#include "libcore/base/notice.h"
#include "libcore/conformance/kinds.h"
#include "libcore/exec/meaning.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/summary.h"
#include "tests/fuzz/context_repair.h"
#include "tests/fuzz/fuzz.h"

namespace quern {

struct Net {
    Model model;
    std::vector<Tensor> sample;
    bool drawn = false;  // numbers are finite, and rounding errors stay small
    bool runs = false;   // takes little to run
};

inline std::string text_of(const Model& model) {
    std::string out;
    print_text(model, {}, [&](std::string_view part) { out += part; });
    return out;
}

// A finding: what is wrong, and the net on which it is.
[[noreturn]] inline void found(const Model& model, const std::string& what) {
    const std::string text = text_of(model);
    std::fprintf(stderr, "exit 70: %s\n%.20000s\n", what.c_str(), text.c_str());
    std::abort();
}

// Little work for the reference: shapes are known and small, nothing goes round.
inline bool is_small(const Graph& graph) {
    constexpr size_t most_nodes = 60;
    constexpr int64_t max_elements = 1 << 14;
    constexpr double max_macs = 1e6;
    if (graph.order().size() > most_nodes) return false;
    for (const NodeId id : graph.order())
        if (!graph.node(id).bodies.empty()) return false;
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value(static_cast<ValueId>(i));
        if (value.erased) continue;
        const auto dims = value.type.shape.concrete();
        if (!dims || value.type.kind != Type::Kind::tensor || value.type.dtype == DType::string) return false;
        int64_t elements = 1;
        for (const int64_t dim : *dims) {
            if (dim > max_elements) return false;
            elements *= std::max<int64_t>(dim, 1);
            if (elements > max_elements) return false;
        }
    }
    const auto macs = summarize(graph).macs;
    return macs && *macs <= max_macs;
}

inline std::optional<Net> read_net(const uint8_t* data, size_t size) {
    MutableBytes file(size);
    std::memcpy(file.data(), data, size);
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (text.starts_with("\177ELF")) return std::nullopt;  // to read a library is to run it
    if (text.starts_with("QUERNNET")) repair_native(file.data(), size);
    Net net;
    net.model = read_model(std::move(file).freeze(), "");
    take_open_dims_as_one(net.model.graph, OpenDims::all);
    if (!is_small(net.model.graph)) return net;
    random_graphs::Draw draw(1);
    for (const ValueId id : net.model.graph.inputs) {
        const Type& type = net.model.graph.value(id).type;
        net.sample.push_back(draw.tensor(type.dtype, *type.shape.concrete(), is_float(type.dtype) ? -1 : 0, 1));
    }
    net.runs = true;
    return net;
}

// Of drawn ones the model is what is quantized, of the kind's type, or a float net.
inline Net drawn_net(random_graphs::RandomGraph drawn) {
    Net net;
    net.model.graph = std::move(drawn.graph);
    net.sample = std::move(drawn.sample);
    net.drawn = net.runs = true;
    return net;
}

// Bytes that begin with a D draw a graph, others are a file. Nothing if nothing came of it.
inline std::optional<Net> net_of(const uint8_t* data, size_t size) {
    if (size == 0) return std::nullopt;
    if (data[0] != 'D') return read_net(data, size);
    random_graphs::Draw draw = random_graphs::Draw::of_bytes({reinterpret_cast<const char*>(data) + 1, size - 1});
    const auto kinds = static_cast<int64_t>(random_graphs::profiles().size());
    const random_graphs::Kind kind = random_graphs::kind_at(static_cast<size_t>(draw.number(0, kinds - 1)), draw);
    auto drawn = random_graphs::draw_graph(draw, kind, {});
    if (!drawn) return std::nullopt;
    return drawn_net(std::move(*drawn));
}

// By the reference, in the mode that the model has by itself.
inline std::vector<Stored> run_reference(const Graph& graph, std::span<const Tensor> sample) {
    static ThreadPool pool(1);
    const Graph encoded = as_encoded(graph);
    Session session(Program::compile(encoded, {.mode = own_mode(encoded), .reference = true}), pool);
    std::vector<Stored> given;
    for (const Tensor& tensor : sample) given.push_back({tensor, {}});
    return session.run_stored(given);
}

// What `body` makes, or nothing where it refuses, as it may.
template <class Body>
auto unless_refused(const Body& body) -> std::optional<decltype(body())> {
    std::optional<decltype(body())> made;
    expect_only_refusals([&] { made = body(); });
    return made;
}

// The file that a format's writer makes.
inline Bytes written(const Model& model, std::string_view format, const WriteOptions& options) {
    struct Memory {
        int fd = ::memfd_create("product", 0);
        ~Memory() { ::close(fd); }
    } memory;
    write_model(model, fmt::format("/proc/self/fd/{}", memory.fd), format, options);
    const off_t size = ::lseek(memory.fd, 0, SEEK_END);
    MutableBytes bytes(static_cast<size_t>(size));
    if (::pread(memory.fd, bytes.data(), bytes.size(), 0) != size) throw bug("a product of {} bytes is not there", size);
    return std::move(bytes).freeze();
}

}  // namespace quern
