// The jobs of codegen plugins (libcore/codegen/plugin.cpp asks for them).
#pragma once

#include "tools/foreign/serve.h"

namespace quern {

// Request: the library's path. Answer, in JSON: what its table says.
void describe_plugin(ChildWork& work);

// Request: the library's path; of the model: name, path of a file in the form asked for ("": the graph that came with the request); path
// of the output ("": the answer); preference, as a number; then names of options, each with its text. What the plugin says goes to the log,
// but for the error that becomes the message.
void run_plugin(ChildWork& work);

}  // namespace quern
