// An outside back end that runs in a helper process, quern-foreign: what it does wrong there - a crash, an exit, a call that does not
// return - is an error here, which names partition and call.
#pragma once

#include "libcore/backend/helper.h"
#include "libcore/backend/interface.h"

namespace quern {

// Starts the process and calls create().
std::shared_ptr<Helper> start_helper(const RemoteBackend& backend);

// Of `blob`, or, if `file` is not "", of the file of that name. `part` is for messages, "" for none.
std::shared_ptr<Executable> load_remotely(const std::shared_ptr<Helper>& helper, const Bytes& blob, const std::string& file,
                                          const std::string& part);

}  // namespace quern
