// oneDNN's parallel regions run on quern's own pool.
#pragma once

#include "libcore/os/threads.h"

namespace quern::onednn {

// What this thread prepares and executes from here on is split among as many threads of `pool` as are worth waiting for.
void use_threads(ThreadPool& pool);
// ... is done by this thread alone.
void use_one_thread();

}  // namespace quern::onednn
