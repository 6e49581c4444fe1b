// The names of JSON, for headers: who reads or writes it includes base/json.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace quern {

using Json = nlohmann::json;
class JsonView;

}  // namespace quern
