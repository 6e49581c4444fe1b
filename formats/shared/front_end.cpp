#include "formats/shared/front_end.h"

#include "libcore/os/own_library.h"

namespace quern {

const FrontEnd& load_front_end(const std::string& file) { return own_table<FrontEnd>(file, "quern_front_end"); }

}  // namespace quern
