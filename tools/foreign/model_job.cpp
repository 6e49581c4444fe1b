#include "tools/foreign/model_job.h"

#include <dlfcn.h>

#include "formats/library/library.h"
#include "formats/native/native.h"
#include "libcore/base/error.h"

namespace quern {

void compose_model(ChildWork& work) {
    constexpr const char* entry = "quern_model_compose";
    work.stage("load");
    void* handle = ::dlopen(work.word(0).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw unsupported("cannot be loaded as a model library: {}", ::dlerror());
    const auto compose = reinterpret_cast<quern_model_compose_function>(::dlsym(handle, entry));
    if (!compose) throw bad_input("is not a model library: it has no {}", entry);
    work.stage(entry);
    native_format::write(library_format::composed(compose, {handle, [](void*) {}}), work.out());
}

}  // namespace quern
