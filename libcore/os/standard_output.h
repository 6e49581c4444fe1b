// Standard output as the place of products only.
#pragma once

namespace quern {

// The descriptor of standard output.
int standard_output();

// Takes it out of the reach of code that prints in between (libraries of others): what is printed to stdout afterwards goes to standard
// error. For programs, not for libraries: it is the process's.
void keep_standard_output();

}  // namespace quern
