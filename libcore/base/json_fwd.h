// The names of JSON, for headers; sources that read or write it include base/json.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace quern {

using Json = nlohmann::json;
class JsonView;

}  // namespace quern
