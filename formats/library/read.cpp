#include <dlfcn.h>
#include <elf.h>

#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <map>

#include "formats/library/builder.h"
#include "formats/library/library.h"
#include "libcore/base/io.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"

// What a library holds while it builds: one of the model's graphs.
struct quern_graph {
    quern::Graph* graph = nullptr;
    quern_graph* outer = nullptr;
    struct Shared {
        quern::Model model;
        std::shared_ptr<void> library;
        std::exception_ptr failure;
        std::deque<quern_graph> bodies;
    }* shared = nullptr;
};

namespace quern::library_format {
namespace {

constexpr const char* entry = "quern_model_compose";

std::string text(quern_text from) { return from.size ? std::string(from.data, from.size) : std::string(); }

DType dtype_of_text(quern_text from) {
    if (from.size == 0) return DType::none;
    const std::string name = text(from);
    const auto dtype = dtype_named(name);
    if (!dtype) throw bad_input("element type \"{}\" is not known", escape(name));
    return *dtype;
}

// No exception crosses into the library.
template <class Fn>
int guarded(quern_graph* g, const Fn& fn) {
    if (!g || g->shared->failure) return 1;
    try {
        fn();
        return 0;
    } catch (...) {
        g->shared->failure = std::current_exception();
        return 1;
    }
}

Bytes bytes_of(const quern_graph& g, const void* data, size_t size) {
    return {g.shared->library, static_cast<const std::byte*>(data), size, true};
}

Tensor tensor_of(const quern_graph& g, const quern_constant& from) {
    Tensor out;
    out.dtype = dtype_of_text(from.dtype);
    if (!out.defined()) return out;
    out.dims.assign(from.dims, from.dims + from.rank);
    if (out.dtype != DType::string && from.size != storage_size(out.dtype, static_cast<uint64_t>(count_of(out.dims))))
        throw bad_input("a constant {}{} has {} bytes", name_of(out.dtype), to_string(out.dims), from.size);
    out.data = bytes_of(g, from.data, from.size);
    return out;
}

Type type_of(const quern_type& from, int depth = 0) {
    if (depth > 16 || from.kind < 0 || from.kind > 2) throw bad_input("a type is of kind {}", from.kind);
    Type out;
    out.kind = static_cast<Type::Kind>(from.kind);
    out.dtype = dtype_of_text(from.dtype);
    out.shape.ranked = from.ranked != 0;
    for (size_t i = 0; i < from.rank; ++i) out.shape.dims.push_back({from.dims[i].length, text(from.dims[i].symbol)});
    if (from.element) out.element = std::make_shared<const Type>(type_of(*from.element, depth + 1));
    return out;
}

Encoding encoding_of(const quern_graph& g, const quern_encoding& from) {
    Encoding out;
    out.kind = from.dynamic ? Encoding::Kind::dynamic : Encoding::Kind::fixed;
    out.storage = dtype_of_text(from.storage);
    out.real = dtype_of_text(from.real);
    out.qmin = from.low;
    out.qmax = from.high;
    out.axis = from.axis;
    out.block = from.block;
    out.scale = tensor_of(g, from.scale);
    out.zero = tensor_of(g, from.zero);
    out.min = tensor_of(g, from.min);
    if (out.storage == DType::none || out.axis < -1 || out.block < 0 || (!from.dynamic && !out.scale.defined()))
        throw bad_input("an encoding lacks its storage type or scale");
    return out;
}

ValueId value_named(const quern_graph& g, quern_text name) {
    if (name.size == 0) return ValueId::none;
    const ValueId id = g.graph->find(std::string_view(name.data, name.size));
    if (id == ValueId::none) throw bad_input("there is no tensor \"{}\"", escape(text(name)));
    return id;
}

int add_tensor(quern_graph* g, const quern_tensor* from) {
    return guarded(g, [&] {
        const std::string name = text(from->name);
        if (name.empty() || g->graph->find(name) != ValueId::none) throw bad_input("tensor \"{}\" is there already", escape(name));
        Value& value = g->graph->value(g->graph->add_value(name, type_of(from->type)));
        if (from->encoding) value.enc = encoding_of(*g, *from->encoding);
        value.permutation.assign(from->permutation, from->permutation + from->permutation_size);
        if (!from->data) return;
        const auto dims = value.type.shape.concrete();
        if (!dims) throw bad_input("constant \"{}\" has no fixed shape", escape(name));
        if (value.storage() != DType::string && from->size != storage_size(value.storage(), static_cast<uint64_t>(count_of(*dims))))
            throw bad_input("constant \"{}\" has {} bytes", escape(name), from->size);
        value.data = bytes_of(*g, from->data, from->size);
    });
}

Attr attr_of(const quern_graph& g, const quern_parameter& p) {
    const auto one = [&] {
        if (p.count != 1) throw bad_input("parameter \"{}\" has {} items", escape(text(p.name)), p.count);
    };
    std::vector<std::string> texts;
    std::vector<Tensor> tensors;
    switch (p.kind) {
        case QUERN_INTEGER: return one(), p.integers[0];
        case QUERN_REAL: return one(), p.reals[0];
        case QUERN_TEXT: return one(), text(p.texts[0]);
        case QUERN_INTEGERS: return std::vector<int64_t>(p.integers, p.integers + p.count);
        case QUERN_REALS: return std::vector<float>(p.reals, p.reals + p.count);
        case QUERN_TEXTS:
            for (size_t i = 0; i < p.count; ++i) texts.push_back(text(p.texts[i]));
            return texts;
        case QUERN_CONSTANT: return one(), tensor_of(g, p.constants[0]);
        case QUERN_CONSTANTS:
            for (size_t i = 0; i < p.count; ++i) tensors.push_back(tensor_of(g, p.constants[i]));
            return tensors;
        case QUERN_TYPE: return one(), type_of(*p.type);
        default: throw bad_input("parameter \"{}\" is of kind {}", escape(text(p.name)), p.kind);
    }
}

int add_node(quern_graph* g, const quern_node* from) {
    return guarded(g, [&] {
        const std::string op_name = text(from->op), domain = text(from->domain);
        const Op* op = from->version == 0 ? find_op(op_name, domain) : nullptr;
        if (!op) op = unknown_op(op_name, domain, from->version);
        std::vector<ValueId> in, out;
        for (size_t i = 0; i < from->input_count; ++i) in.push_back(value_named(*g, from->inputs[i]));
        for (size_t i = 0; i < from->output_count; ++i) {
            out.push_back(value_named(*g, from->outputs[i]));
            if (out.back() == ValueId::none) continue;
            const Value& made = g->graph->value(out.back());
            if (made.producer != NodeId::none || made.constant()) throw bad_input("tensor \"{}\" is defined twice", escape(made.name));
        }
        Attrs attrs;
        for (size_t i = 0; i < from->parameter_count; ++i) attrs[text(from->parameters[i].name)] = attr_of(*g, from->parameters[i]);
        Node& node = g->graph->node(g->graph->add_node(op, text(from->name), std::move(in), std::move(out), std::move(attrs)));
        node.scope = text(from->scope);
        node.device = text(from->device);
        node.unit = from->unit;
        for (size_t i = 0; i < from->internal_count; ++i)
            node.internal[text(from->internal_names[i])] = encoding_of(*g, from->internals[i]);
    });
}

quern_graph* add_body(quern_graph* g, quern_text node, quern_text attribute, quern_text name) {
    quern_graph* made = nullptr;
    guarded(g, [&] {
        const NodeId id = g->graph->find_node(std::string_view(node.data, node.size));
        if (id == NodeId::none) throw bad_input("there is no node \"{}\"", escape(text(node)));
        Graph& body = g->graph->add_body(id, text(attribute));
        body.name = text(name);
        made = &g->shared->bodies.emplace_back(quern_graph{&body, g, g->shared});
    });
    return made;
}

int capture(quern_graph* g, quern_text inner, quern_text outer) {
    return guarded(g, [&] {
        if (!g->outer) throw bad_input("a capture outside of a body");
        g->graph->captures.push_back({value_named(*g, inner), value_named(*g->outer, outer)});
    });
}

int set_interface(quern_graph* g, quern_text name, const quern_text* inputs, size_t input_count, const quern_text* outputs,
                  size_t output_count) {
    return guarded(g, [&] {
        g->graph->name = text(name);
        const auto add = [&](std::vector<ValueId>& to, const quern_text* names, size_t count) {
            for (size_t i = 0; i < count; ++i) {
                to.push_back(value_named(*g, names[i]));
                if (to.back() == ValueId::none) throw bad_input("an input or output has no name");
            }
        };
        add(g->graph->inputs, inputs, input_count);
        add(g->graph->outputs, outputs, output_count);
    });
}

int set_metadata(quern_graph* g, quern_text key, quern_text value) {
    return guarded(g, [&] {
        if (text(key) == "lineage")
            g->shared->model.lineage = text(value);
        else
            g->graph->metadata[text(key)] = text(value);
    });
}

constexpr quern_builder builder{sizeof(quern_builder), QUERN_BUILDER_VERSION, add_tensor, add_node, add_body, capture,
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
    if (path == "-") throw unsupported("a model library is code and is loaded from a file, not from a stream");
    check_machine(bytes);
    check_extent(bytes);
    const std::string file = std::filesystem::absolute(path).string();
    void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw unsupported("cannot be loaded as a model library: {}", ::dlerror());
    quern_graph::Shared shared;
    shared.library = {handle, [](void* library) { ::dlclose(library); }};
    const auto compose = reinterpret_cast<quern_model_compose_function>(::dlsym(handle, entry));
    if (!compose) throw bad_input("is no model library: it has no {}", entry);
    quern_graph root{&shared.model.graph, nullptr, &shared};
    const int failed = compose(&builder, &root);
    if (shared.failure) std::rethrow_exception(shared.failure);
    if (failed) throw bad_input("the library could not compose its model");
    return std::move(shared.model);
}

}  // namespace quern::library_format
