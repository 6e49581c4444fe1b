// Model libraries: shared objects that `codegen --plugin cpp --lib` makes. Reading one loads and runs its code: only a file that the user
// names as one is read, and in quern-foreign, from where the model comes back in the native form.
#pragma once

#include <memory>

#include "formats/shared/format.h"
#include "include/quern/builder.h"

namespace quern::library_format {

bool sniff(const Bytes& bytes);
// In a process of its own, which has as long as QUERN_BACKEND_TIMEOUT says.
Model read(const Bytes& bytes, const std::string& path);

// For that process: what a library's function composes. Weights are the library's memory, which `library` keeps.
Model composed(quern_model_compose_function compose, std::shared_ptr<void> library);

}  // namespace quern::library_format
