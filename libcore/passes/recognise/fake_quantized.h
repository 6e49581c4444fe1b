// Numbers that go to codes and back at once, as quantization-aware training computes them: said by QuantizeLinear and DequantizeLinear.
#pragma once

#include <string>

#include "libcore/graph/graph.h"

namespace quern {

struct FakeQuantized {
    ValueId x = ValueId::none;
    ValueId limited = ValueId::none;  // x within the limits of the codes, where a node says that already
    Encoding encoding;
    Tensor codes;  // of x, if it is a constant
};

// Not said: limits for data by channels, which no Clip has.
bool can_spell(const FakeQuantized& fake);
// Puts the two operators in the place of the node that makes `result`; of constants DequantizeLinear alone. Where the type has more codes
// than the encoding, a Clip of numbers stands in front, as no QuantizeLinear clips like that.
void spell_linear(Graph& graph, ValueId result, const FakeQuantized& fake);

// Are the limits of the codes those of their type?
bool has_all_codes(const Encoding& encoding);
// x clipped, by a node put before `before`, to what codes of an encoding of one scale mean within its limits: codes of this are those of x,
// clipped. A Relu that this does as well is passed by.
ValueId limit_ahead(Graph& graph, ValueId x, const Encoding& encoding, const std::string& name, NodeId before);

}  // namespace quern
