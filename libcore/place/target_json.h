// From JSON to Target.
#pragma once

#include "libcore/base/json_fwd.h"
#include "libcore/graph/op.h"
#include "libcore/place/target.h"

namespace quern::place {

// `child` over `parent`: members of the child win; memories, devices and links are merged by their keys.
Json merge_targets(Json parent, const Json& child);

// Every key of a target's file, by the objects that have them.
struct KeyGroup {
    std::string_view of;  // "a device"
    std::vector<Key> keys;
};
std::vector<KeyGroup> target_keys();

Target read_target(const Json& json);  // no "extends" any more; throws Exit::bad_input naming the place

}  // namespace quern::place
