#include "libcore/os/trial.h"

#include "libcore/base/error.h"

namespace quern {
namespace {

thread_local Trial* of_this_thread = nullptr;

}  // namespace

Trial::Trial() {
    if (of_this_thread) throw bug("a trial inside of another");
    of_this_thread = this;
}

Trial::~Trial() { of_this_thread = nullptr; }

Trial* Trial::current() { return of_this_thread; }

std::function<void(const void*, size_t)> Trial::counter(const std::string& path) {
    const size_t at = outputs_.size();
    outputs_.push_back({path});
    return [this, at](const void*, size_t size) { outputs_[at].bytes += size; };
}

}  // namespace quern
