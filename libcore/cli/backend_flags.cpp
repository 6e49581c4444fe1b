#include "libcore/cli/backend_flags.h"

#include "libcore/backend/client.h"
#include "libcore/cli/tool.h"

namespace quern {

void BackendFlags::add(Options& options) {
    options.flag(in_process_, "--in-process", "run outside back ends in this process: faster, but their crashes end it");
    options.integer(timeout_, "--backend-timeout", "SECONDS",
                    "the longest that a call of an outside back end may take; 0: no limit (default: 60)", 0, 86400);
}

void BackendFlags::apply() const {
    if (in_process_ && timeout_) throw usage_error("--backend-timeout: nothing can end a call with --in-process");
    BackendRuns runs = backend_runs();
    if (timeout_) runs.seconds = static_cast<int>(*timeout_);
    runs.apart = runs.apart && !in_process_;
    set_backend_runs(runs);
}

}  // namespace quern
