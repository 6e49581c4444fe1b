// What kernels cannot do.
#pragma once

#include "libcore/base/error.h"

namespace quern {

// Thrown by Kernel::run() before it has given or changed anything: its library cannot make what these shapes or numbers ask for. The
// step's reference runs in its place.
class KernelRefusal : public Error {
   public:
    using Error::Error;
};

}  // namespace quern
