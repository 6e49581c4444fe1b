// The job of model libraries (formats/library asks for it).
#pragma once

#include "tools/foreign/serve.h"

namespace quern {

// Request: the library's path. Answer: the model that it composes, in the native form.
void compose_model(ChildWork& work);

}  // namespace quern
