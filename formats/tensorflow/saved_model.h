// A SavedModel: graphs with signatures, and the checkpoint that their variables are restored from.
#pragma once

#include "formats/tensorflow/import.h"

namespace quern::tensorflow_format {

struct MetaGraph {
    std::vector<std::string> tags;
    Bytes graph;
    std::string restore;  // the node that restores variables
    struct Tensor {
        std::string key, tensor;  // the user's name and "node:0"
        DType dtype = DType::none;
        Shape shape = {};
        bool composite = false;
    };
    struct Signature {
        std::vector<Tensor> inputs, outputs;
    };
    std::map<std::string, Signature> signatures;
};

// The graph that serves; throws Exit::unsupported if there is none.
MetaGraph read_meta_graph(const Bytes& saved_model);

// `name`: of a signature; "": the default one. Throws Exit::usage if there is none of that name.
Interface signature_of(const MetaGraph& meta, const NodeGraph& graph, const std::string& name);

// Which tensor of the checkpoint each variable is restored from, by the node that gives its handle.
struct Restored {
    std::string name;  // for users
    std::string key;
    std::string slice;  // the part of it, as TensorFlow writes it; empty: all
};
std::map<std::string, Restored> restored_variables(Library& library, const MetaGraph& meta);

}  // namespace quern::tensorflow_format
