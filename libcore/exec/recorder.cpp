#include "libcore/exec/recorder.h"

namespace quern {
namespace {

thread_local Recorder* used = nullptr;

}  // namespace

Recorder* Recorder::current() { return used; }

Recorder::Use::Use(Recorder* recorder) : before_(used) {
    if (recorder) used = recorder;
}

Recorder::Use::~Use() { used = before_; }

}  // namespace quern
