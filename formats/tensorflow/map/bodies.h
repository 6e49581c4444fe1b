// Branches and loops of ours, made of parts that are added to the frames of their bodies.
#pragma once

#include "formats/tensorflow/map/importer.h"

namespace quern::tensorflow_format {

using Part = std::function<std::vector<Bound>(Frame& frame)>;
using Step = std::function<std::vector<Bound>(Frame& frame, const std::vector<Bound>& carried)>;

// What both branches give; a condition that is known takes its branch at once.
std::vector<Bound> add_if(Frame& frame, const std::string& name, ValueId condition, const Part& yes, const Part& no);

// One of several by its place; a place outside takes the last.
std::vector<Bound> add_case(Frame& frame, const std::string& name, const Bound& index, std::span<const Part> parts);

struct LoopParts {
    std::vector<std::string> names;  // of what is carried
    std::vector<Bound> first;
    std::vector<bool> fixed;  // carried values that no round changes: the bodies read them from outside
    Step condition;           // one bool
    Step body;
};
std::vector<Bound> add_loop(Frame& frame, const std::string& name, const LoopParts& parts);

}  // namespace quern::tensorflow_format
