// Printing of tensors, attributes and encodings.
#pragma once

#include <map>
#include <string>

#include "formats/text/text.h"
#include "libcore/graph/op.h"

namespace quern::text {

using AttrTexts = std::map<std::string, std::string>;  // spelled, by attribute name

class AttrPrinter {
   public:
    AttrPrinter(const TextOptions& options, const TextSink& sink) : options_(options), sink_(sink) {}

    // "dense<...> : tensor<...>" straight to the sink: constants may be large.
    void tensor(const Tensor& tensor) const { tensor_to(tensor, sink_); }
    std::string tensor_text(const Tensor& tensor) const;
    std::string attr_text(const Attr& attr) const;
    std::string encoding_text(const Encoding& encoding) const;

    // Everything between the braces of a node: the operator's attributes and ours.
    AttrTexts node_attrs(const Graph& graph, const Node& node) const;
    // Encoding and permutation of the results of one operation.
    void value_attrs(const Graph& graph, std::span<const ValueId> values, AttrTexts& to) const;

   private:
    void tensor_to(const Tensor& tensor, const TextSink& sink) const;
    const TextOptions& options_;
    const TextSink& sink_;
};

std::string braces(const AttrTexts& attrs);  // "{a = 1, b = 2}"

}  // namespace quern::text
