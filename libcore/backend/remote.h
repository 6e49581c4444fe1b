// An outside back end that runs in a helper process, quern-foreign: what it does wrong there - a crash, an exit, a call that does not
// return - is an error here, which names partition and call.
#pragma once

#include "libcore/backend/client.h"

namespace quern {

struct RemoteBackend {
    std::string name, path, options;
    int seconds = 60;        // that a call may take; 0: no limit
    bool operators = false;  // its operators are what is asked for, and no instance is created
    bool computes = false;   // it is no driver: its process starts no programs and has no sockets
};

class Helper;

// Starts the process and calls create().
std::shared_ptr<Helper> start_helper(const RemoteBackend& backend);

// Of `blob`, or, if `file` is not "", of the file of that name. `part` is for messages, "" for none.
std::shared_ptr<Executable> load_remotely(const std::shared_ptr<Helper>& helper, const Bytes& blob, const std::string& file,
                                          const std::string& part);

}  // namespace quern
