// Runtimes: what those that read our files have kernels for, as data - JSON like that of targets, measured by tests/peers/kernels.py:
//
//     {"kind": "runtime", "version": 1, "name": "litert", "doc": "...",
//      "ops": [{"ops": ["ELU"], "of": ["Elu"], "constraints": [{"check": "form", "is": ["int8"]}, {"check": "operator_version", "max":
//      1}]}, {"ops": ["SIGN"], "of": ["Sign"], "real": false, "constraints": [{"check": "form", "is": ["float32"]}]}]}
//
// Of ONNX files rows may say of which opsets they are, "opset": {"min": 21, "max": 24}; the runtime's own "opset" is the newest that it
// reads.
//
// Operators have the names of the file's format. "of": our operators that are written as just that one. "real": false: there is no kernel
// for real numbers; without constraints, none at all. What a runtime does not list is not known: it is taken to have no kernel but for
// real numbers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/support/constraint.h"

namespace quern {
class Graph;
struct Node;
}  // namespace quern

namespace quern::support {

struct RuntimeRow {
    std::vector<std::string> ops, of;
    bool real = true;                // there is a kernel for real numbers
    int64_t oldest = 0, newest = 0;  // opset of ONNX; 0: any
    std::vector<Constraint> constraints;
};

struct Runtime {
    std::string name, doc;
    int64_t opset = 0;  // of ONNX, the newest that it reads; 0: it reads no ONNX
    std::vector<RuntimeRow> rows;
};

std::vector<std::string> runtime_names();             // sorted
const Runtime& runtime_named(std::string_view name);  // throws Exit::bug for a name that is none

// Why the runtime cannot run the node, an operator of the file's format (of ONNX in a file of this opset); nullopt: it can, or nothing is
// known.
std::optional<std::string> refusal(const Runtime& runtime, const Graph& graph, const Node& node, int64_t opset = 0);
// The same of an operator on real numbers: what it needs beside the storage of its data, of which "real" speaks.
std::optional<std::string> refusal_on_reals(const Runtime& runtime, const Graph& graph, const Node& node);
// Does the table know the file's operator `op`?
bool lists(const Runtime& runtime, std::string_view op);
// That without the list of what it needs, which is long.
std::string brief(std::string_view refusal);
// The first few of the places that a notice names; that there are more is reported.
std::string some_of(std::vector<std::string> places);

// Has it a kernel for our operator `of` on data that are all stored as `form`, as far as is known?
bool has_kernel(const Runtime& runtime, std::string_view of, std::string_view form);

// Has it a kernel for the file's operator `op` on real numbers, as far as is known?
bool takes_reals(const Runtime& runtime, std::string_view op);

// Is `form` one of those that the file's operator `op` has a kernel for?
bool takes_form(const Runtime& runtime, std::string_view op, std::string_view form);

// Has it a kernel for products of codes with weights of one scale, but none for weights with a scale for each channel?
bool takes_one_scale(const Runtime& runtime, std::string_view op, std::string_view data, std::string_view weights);

// The page: a line per operator, a column a runtime.
std::string runtimes_page(std::span<const std::string> names);

struct EmbeddedRuntime {
    std::string_view name, json;
};
std::span<const EmbeddedRuntime> embedded_runtimes();  // sorted by name; made by the build

}  // namespace quern::support
