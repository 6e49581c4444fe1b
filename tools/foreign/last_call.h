// What this process is doing, in memory that the tool reads after it has ended (run_protocol::States).
#pragma once

namespace quern {

// Maps the memory; signals that end the process, and exit(), are noted there by their thread.
void watch_calls(int states);
// The calling thread serves this socket from now on. Gives it a stack for signals, so that one that has used up its own can be noted, too.
void serve_slot(int slot);

}  // namespace quern
