// Where onert_run writes what a model gave.
#pragma once

#include <map>
#include <string>

#include "libcore/cli/api_session.h"

namespace quern::onert_run {

struct OutputChoice {
    std::string dump, raw;          // a .npy, .npz or .h5 file or a folder; the prefix of PREFIX.0, PREFIX.1, ...
    std::map<size_t, Dims> shapes;  // as which --dump writes them
    bool force_float = false;       // numbers, also where the model gives codes
};

// Before work begins. Throws Exit::usage or Exit::unsupported for paths that cannot serve.
void check_outputs(const OutputChoice& choice);
// Of the last run.
void write_outputs(const ApiSession& session, const OutputChoice& choice);

}  // namespace quern::onert_run
