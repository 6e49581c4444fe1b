#include "formats/shared/front_end.h"

#include "libcore/os/own_library.h"

namespace quern {

const FrontEnd& load_front_end(const std::string& file) { return *static_cast<const FrontEnd*>(own_table(file, "quern_front_end")); }

}  // namespace quern
