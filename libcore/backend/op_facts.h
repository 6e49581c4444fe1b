// What an operator of a library says of itself, as rows are made of it and as it goes from one process to another.
#pragma once

#include <string>
#include <vector>

#include "include/quern/backend.h"
#include "libcore/base/json_fwd.h"
#include "libcore/graph/op.h"

namespace quern {

struct OpFacts {
    struct Attribute {
        std::string name;
        int kind = 0;  // of the C interface
        std::string fallback;
        bool required = false;
    };
    std::string name, domain, doc;
    int in_min = 0, in_max = 0, out_min = 0, out_max = 0;
    std::vector<Attribute> attributes;
    QuantRule quant;
    bool on_codes = false;  // it has a function of its own for codes
};

// Both throw Exit::unsupported for what no row can be made of.
OpFacts facts_of(const quern_custom_op& op);
OpFacts facts_from(const JsonView& json);
Json to_json(const OpFacts& facts);

AttrKind kind_of(const OpFacts::Attribute& attribute);

}  // namespace quern
