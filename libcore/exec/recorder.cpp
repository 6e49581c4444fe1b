#include "libcore/exec/recorder.h"

namespace quern {
namespace {

thread_local StepRecorder* used = nullptr;

}  // namespace

StepRecorder* StepRecorder::current() { return used; }

StepRecorder::Use::Use(StepRecorder* recorder) : before_(used) {
    if (recorder) used = recorder;
}

StepRecorder::Use::~Use() { used = before_; }

}  // namespace quern
