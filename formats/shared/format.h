// A model, and what a format does with its files: what all formats share. The formats themselves are in formats/format.h.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "formats/shared/lineage.h"
#include "libcore/base/bytes.h"
#include "libcore/graph/graph.h"
#include "libcore/os/outputs.h"

namespace quern {

// A graph with what travels beside it.
struct Model {
    Graph graph;
    Lineage lineage;                           // of the imported source model; set by read_model, kept by every tool
    std::map<std::string, std::string> facts;  // embedded sidecars by kind ("ranges"), as JSON text
    bool other_quantizers = false;             // did the file quantize with operators of others, which are the graph's own here?
};

// Formats refuse what they do not have, unless it is as it is here.
struct WriteOptions {
    int opset = 0;               // ONNX; 0: the lowest from 13 on that can express the model
    bool external_data = false;  // ONNX and text: weights beside the model in <file>.data
    std::string quant_form;      // ONNX: "qdq" (also if empty) or "qoperator"
    // ONNX, TFLite, Circle: how inputs and outputs are stored, one of interface_types (interface.h), or one for each with a comma between;
    // "": as encoded, in ONNX as they are.
    std::string io;
    bool stored_io = false;  // ONNX: encoded inputs and outputs are passed as they are stored, not as float values
    bool strict = false;     // what the format's runtime has no kernel for is an error
    bool contrib = false;    // ONNX: a language model in com.microsoft's operators, with what onnxruntime-genai reads beside it
    Outputs* outputs = &Outputs::files();         // where its files are opened
    std::function<void(const Graph&)> tell = {};  // if any: hears of the graph as the file says it, where the format has graphs like ours
};

struct Format {
    std::string_view name;      // as in -f
    std::string_view suffixes;  // ".onnx", space separated
    std::string_view doc;
    bool (*sniff)(const Bytes& bytes);                           // by content
    Model (*read)(const Bytes& bytes, const std::string& path);  // path: for external data ("-": none beside it) and messages
    // nullptr: cannot be written. `path` names the final file ("-": stdout) so that companions can be placed beside it.
    void (*write)(const Model& model, const std::string& path, const WriteOptions& options);
    bool external_data = false;  // can have its weights beside it
    bool io = false;             // can store its interface as WriteOptions::io says
    bool text = false;           // may be shown on a terminal
    // Reads, from a `path` as above, the graph that the signature `name` names; nullptr: files have one graph. Throws Exit::usage if there
    // is no such signature.
    Model (*read_signature)(const Bytes& bytes, const std::string& path, const std::string& name) = nullptr;
};

}  // namespace quern
