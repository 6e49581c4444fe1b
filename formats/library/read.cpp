// Reads a generated shared object (library.h): its model is built by calls, in a process of its own.
#include <elf.h>

#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>

#include "formats/foreign/child.h"
#include "formats/library/library.h"
#include "formats/native/native.h"
#include "libcore/base/text.h"
#include "libcore/graph/from_c.h"
#include "libcore/graph/op.h"
#include "libcore/os/io.h"

namespace quern::library_format {
namespace {

// What the handle of a library stands for while it builds: one of the model's graphs.
struct Building : quern_graph {
    struct Shared {
        Model model;
        std::shared_ptr<void> library;
        std::exception_ptr failure;
        std::deque<Building> bodies;
    };
    Building(Graph& to, Building* around, Shared& with) : quern_graph{}, graph(to), outer(around), shared(with) {
        struct_size = sizeof(quern_graph);
    }
    Graph& graph;
    Building* outer;
    Shared& shared;
};

std::string text(quern_text from) { return from.size ? std::string(from.data, from.size) : std::string(); }

// No exception crosses into the library.
template <class Fn>
int guarded(quern_graph* handle, const Fn& fn) {
    if (!handle) return 1;
    Building& g = *static_cast<Building*>(handle);
    if (g.shared.failure) return 1;
    try {
        fn(g);
        return 0;
    } catch (...) {
        g.shared.failure = std::current_exception();
        return 1;
    }
}

quern_dtype dtype(quern_graph* handle, quern_text name) {
    quern_dtype found = QUERN_DTYPE_NONE;
    guarded(handle, [&](Building&) {
        if (name.size == 0) return;
        const auto dtype = dtype_named(text(name));
        if (!dtype) throw bad_input("element type \"{}\" is not known", escape(text(name)));
        found = c_dtype(*dtype);
    });
    return found;
}

// Bytes of the library, which stay while they are used.
KeepBytes kept_by(const Building& g) {
    return [library = g.shared.library](const Bytes& bytes) { return Bytes(library, bytes.data(), bytes.size(), true); };
}

Tensor tensor_of(const Building& g, const quern_tensor& from) {
    Tensor out = borrowed_from(from);
    out.data = kept_by(g)(out.data);
    return out;
}

constexpr size_t most_dims = 64;  // as of other views in C

Type type_of(const quern_type& from, int depth = 0) {
    if (depth > 16 || from.kind < 0 || from.kind > 2) throw bad_input("a type is of kind {}", from.kind);
    if (from.rank > most_dims) throw bad_input("a type of {} dims", from.rank);
    Type out;
    out.kind = static_cast<Type::Kind>(from.kind);
    out.dtype = dtype_from_c(from.dtype, true);
    out.shape.ranked = from.ranked != 0;
    for (size_t i = 0; i < from.rank; ++i) out.shape.dims.push_back({from.dims[i].length, text(from.dims[i].symbol)});
    if (from.element) out.element = std::make_shared<const Type>(type_of(*from.element, depth + 1));
    return out;
}

Encoding encoding_of(const Building& g, const quern_encoding& from) {
    Encoding out = encoding_from(from, kept_by(g));
    if (out.axis < -1 || out.block < 0 || (out.kind == Encoding::Kind::fixed && !out.scale.defined()))
        throw bad_input("an encoding lacks its scale");
    return out;
}

ValueId value_named(const Graph& graph, quern_text name) {
    if (name.size == 0) return ValueId::none;
    const ValueId id = graph.find(std::string_view(name.data, name.size));
    if (id == ValueId::none) throw bad_input("there is no tensor \"{}\"", escape(text(name)));
    return id;
}

int add_tensor(quern_graph* handle, const quern_model_tensor* from) {
    return guarded(handle, [&](Building& g) {
        const quern_value& view = *from->value;
        const std::string name = text(view.name);
        if (name.empty() || g.graph.find(name) != ValueId::none) throw bad_input("tensor \"{}\" is there already", escape(name));
        Value& value = g.graph.value(g.graph.add_value(name, type_of(from->type)));
        if (view.encoding) value.enc = encoding_of(g, *view.encoding);
        if (from->permutation_size > most_dims) throw bad_input("a permutation of {} axes", from->permutation_size);
        value.permutation.assign(from->permutation, from->permutation + from->permutation_size);
        if (!view.constant) return;
        if (!value.type.shape.concrete()) throw bad_input("constant \"{}\" has no fixed shape", escape(name));
        const Tensor constant = at_place(fmt::format("constant \"{}\"", escape(name)), [&] { return tensor_of(g, *view.constant); });
        if (constant.dtype != value.storage() || constant.dims != *value.type.shape.concrete())
            throw bad_input("constant \"{}\" is {}{}", escape(name), name_of(constant.dtype), to_string(constant.dims));
        value.data = constant.data;
    });
}

Attr attr_of(const Building& g, const quern_attribute& p) {
    const auto one = [&] {
        if (p.count != 1) throw bad_input("attribute \"{}\" has {} items", escape(text(p.name)), p.count);
    };
    std::vector<std::string> texts;
    std::vector<Tensor> tensors;
    switch (p.kind) {
        case QUERN_ATTR_INTEGER: return one(), p.integers[0];
        case QUERN_ATTR_REAL: return one(), p.reals[0];
        case QUERN_ATTR_TEXT: return one(), text(p.texts[0]);
        case QUERN_ATTR_INTEGERS: return std::vector<int64_t>(p.integers, p.integers + p.count);
        case QUERN_ATTR_REALS: return std::vector<float>(p.reals, p.reals + p.count);
        case QUERN_ATTR_TEXTS:
            for (size_t i = 0; i < p.count; ++i) texts.push_back(text(p.texts[i]));
            return texts;
        case QUERN_ATTR_TENSOR: return one(), tensor_of(g, *p.tensors[0]);
        case QUERN_ATTR_TENSORS:
            for (size_t i = 0; i < p.count; ++i) tensors.push_back(tensor_of(g, *p.tensors[i]));
            return tensors;
        default: throw bad_input("attribute \"{}\" is of kind {}", escape(text(p.name)), p.kind);
    }
}

Attrs attrs_of(const Building& g, const quern_model_node& from) {
    Attrs attrs;
    for (size_t i = 0; i < from.node->attribute_count; ++i) {
        const quern_attribute& attribute = *from.node->attributes[i];
        attrs[text(attribute.name)] = attr_of(g, attribute);
    }
    for (size_t i = 0; i < from.type_count; ++i) attrs[text(from.type_names[i])] = type_of(from.types[i]);
    return attrs;
}

std::vector<ValueId> named(const Graph& graph, const quern_value* const* values, size_t count) {
    std::vector<ValueId> ids;
    for (size_t i = 0; i < count; ++i) ids.push_back(values[i] ? value_named(graph, values[i]->name) : ValueId::none);
    return ids;
}

int add_node(quern_graph* handle, const quern_model_node* from) {
    return guarded(handle, [&](Building& g) {
        const quern_node& view = *from->node;
        const std::string op_name = text(view.op), domain = text(view.domain);
        const Op* op = from->version == 0 ? find_op(op_name, domain) : nullptr;
        if (!op) op = unknown_op(op_name, domain, from->version);
        std::vector<ValueId> in = named(g.graph, view.inputs, view.input_count), out = named(g.graph, view.outputs, view.output_count);
        for (const ValueId id : out) {
            if (id == ValueId::none) continue;
            const Value& made = g.graph.value(id);
            if (made.producer != NodeId::none || made.constant()) throw bad_input("tensor \"{}\" is defined twice", escape(made.name));
        }
        Node& node = g.graph.node(g.graph.add_node(op, text(view.name), std::move(in), std::move(out), attrs_of(g, *from)));
        node.scope = text(view.scope);
        node.device = text(from->device);
        for (size_t i = 0; i < from->internal_count; ++i)
            node.internal[text(from->internal_names[i])] = encoding_of(g, *from->internals[i]);
    });
}

quern_graph* add_body(quern_graph* handle, quern_text node, quern_text attribute, quern_text name) {
    quern_graph* made = nullptr;
    guarded(handle, [&](Building& g) {
        const NodeId id = g.graph.find_node(std::string_view(node.data, node.size));
        if (id == NodeId::none) throw bad_input("there is no node \"{}\"", escape(text(node)));
        Graph& body = g.graph.add_body(id, text(attribute));
        body.name = text(name);
        made = &g.shared.bodies.emplace_back(body, &g, g.shared);
    });
    return made;
}

int capture(quern_graph* handle, quern_text inner, quern_text outer) {
    return guarded(handle, [&](Building& g) {
        if (!g.outer) throw bad_input("a capture outside of a body");
        g.graph.captures.push_back({value_named(g.graph, inner), value_named(g.outer->graph, outer)});
    });
}

int set_interface(quern_graph* handle, quern_text name, const quern_text* inputs, size_t input_count, const quern_text* outputs,
                  size_t output_count) {
    return guarded(handle, [&](Building& g) {
        g.graph.name = text(name);
        const auto add = [&](std::vector<ValueId>& to, const quern_text* names, size_t count) {
            for (size_t i = 0; i < count; ++i) {
                to.push_back(value_named(g.graph, names[i]));
                if (to.back() == ValueId::none) throw bad_input("an input or output has no name");
            }
        };
        add(g.graph.inputs, inputs, input_count);
        add(g.graph.outputs, outputs, output_count);
    });
}

int set_metadata(quern_graph* handle, quern_text key, quern_text value) {
    return guarded(handle, [&](Building& g) {
        if (text(key) == "lineage")
            g.shared.model.lineage = text(value);
        else
            g.graph.metadata[text(key)] = text(value);
    });
}

constexpr quern_builder builder{sizeof(quern_builder), QUERN_BUILDER_VERSION, dtype, add_tensor, add_node, add_body, capture,
                                set_interface,         set_metadata};

// What an ELF file is for; the loader only says that it does not find it.
std::string machine_of(const Bytes& bytes) {
    uint16_t machine = 0;
    std::memcpy(&machine, bytes.data() + offsetof(Elf32_Ehdr, e_machine), sizeof machine);
    const int bits = static_cast<unsigned char>(bytes.text()[EI_CLASS]) == ELFCLASS64 ? 64 : 32;
    switch (machine) {
        case EM_X86_64: return fmt::format("x86-64, {} bits", bits);
        case EM_AARCH64: return fmt::format("AArch64, {} bits", bits);
        case EM_ARM: return fmt::format("ARM, {} bits", bits);
        case EM_RISCV: return fmt::format("RISC-V, {} bits", bits);
        default: return fmt::format("processor {} of ELF's list, {} bits", machine, bits);
    }
}

void check_machine(const Bytes& bytes) {
    if (bytes.size() < sizeof(Elf32_Ehdr)) return;
    const std::string theirs = machine_of(bytes), ours = machine_of(map_input("/proc/self/exe"));
    if (theirs != ours) throw unsupported("is a library for {}; this program is for {}", theirs, ours);
}

// The loader maps what the file says that it has, and falls over what is not there.
void check_extent(const Bytes& bytes) {
    Elf64_Ehdr head;
    if (bytes.size() < sizeof head || static_cast<unsigned char>(bytes.text()[EI_CLASS]) != ELFCLASS64) return;
    std::memcpy(&head, bytes.data(), sizeof head);
    for (size_t i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr part;
        const uint64_t at = head.e_phoff + i * sizeof part;
        if (head.e_phentsize != sizeof part || at > bytes.size() || bytes.size() - at < sizeof part)
            throw bad_input("is cut off: {} bytes", bytes.size());
        std::memcpy(&part, bytes.data() + at, sizeof part);
        if (part.p_type == PT_LOAD && (part.p_offset > bytes.size() || bytes.size() - part.p_offset < part.p_filesz))
            throw bad_input("is cut off: {} bytes of {} or more", bytes.size(), part.p_offset + part.p_filesz);
    }
}

}  // namespace

bool sniff(const Bytes& bytes) {
    return bytes.text().starts_with(
        "\x7f"
        "ELF");
}

Model read(const Bytes& bytes, const std::string& path) {
    check_machine(bytes);
    check_extent(bytes);
    const std::string file = std::filesystem::absolute(path).string();
    const int seconds = child_seconds("QUERN_BACKEND_TIMEOUT");
    return native_format::read(run_in_child({.job = "compose", .request = {file}, .seconds = seconds}), "-");
}

Model composed(quern_model_compose_function compose, std::shared_ptr<void> library) {
    Building::Shared shared;
    shared.library = std::move(library);
    Building root(shared.model.graph, nullptr, shared);
    const int failed = compose(&builder, &root);
    if (shared.failure) std::rethrow_exception(shared.failure);
    if (failed)
        throw bad_input("the library could not compose its model for version {} of the builder", QUERN_BUILDER_VERSION)
            .with_hint("make it again with quern codegen --plugin cpp --lib");
    return std::move(shared.model);
}

}  // namespace quern::library_format
