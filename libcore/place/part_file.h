// ONE's .part file, which says by operator code or by name which back end runs what:
//
//     [partition]
//     backends=cpu,acl_cl
//     default=cpu
//     comply=opcode            ; or opname
//     [OPCODE]
//     CONV_2D=acl_cl
//     _=cpu                    ; in place of default
//     [OPNAME]
//     conv_1=acl_cl
//
// Back ends are the target's devices. Codes are those of Circle; the nodes of ours that one operator became, its fused activation among
// them, go together.
#pragma once

#include <string_view>

#include "libcore/place/placement_file.h"

namespace quern::onert {

bool is_part(std::string_view text);  // has a line "[partition]" before anything that is not a comment

// Throws Exit::bad_input naming line and key.
place::PlacementFile parse_part(std::string_view text, const place::Target& target);

}  // namespace quern::onert
