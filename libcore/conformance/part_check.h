// A part run on the back end and on ref, as a tool would run it: guarded memory, results compared, one run after another.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libcore/backend/instance.h"
#include "libcore/conformance/check.h"

namespace quern::conformance {

std::shared_ptr<Instance> instance_of(const Context& context);
Bytes compiled(Instance& instance, const Part& part);
// Compiled and loaded; what it describes is what the part has.
std::shared_ptr<Executable> loaded(Instance& instance, const Part& part);
std::shared_ptr<Executable> on_reference(const Part& part);

// Throws where results are of other bits, or not what ref makes of the same.
void check_same(const Part& part, const std::vector<Stored>& got, const std::vector<Stored>& before, std::string_view what);
void check_results(const Context& context, const Part& part, const std::vector<Stored>& got, const std::vector<Stored>& want);

// Each sample, compared with ref if `compared`, and then all again, which must give the same bits. Samples that ref refuses have to come
// back only.
void check_part(const Context& context, const Part& part, bool compared = true);

// Which nodes the back end takes; every answer is looked at.
std::vector<bool> taken_nodes(const Context& context, const Graph& graph, const CompileOptions& options);

// The parts of claimed cases.
std::vector<Part> parts_of_case(const Context& context, const CaseId& id);
// Of a graph of several claimed operators, another one by its number. Nothing: none is drawn.
std::optional<std::vector<Part>> random_parts(const Context& context, size_t number, bool codes);
std::map<std::string, std::vector<CaseId>> cases_by_subject(const Context& context);
// A step for each operator and mode, over the parts of all of its cases. `body` gives false where there is nothing for it to do.
using PartBody = bool (*)(const Context& context, Part& part);
std::vector<Step> steps_of_subjects(
    const Context& context, PartBody body, const std::function<bool(const CaseId& first)>& wanted = [](const CaseId&) { return true; });
// One step for some of them, of operators that differ, one part each, large ones if `large`: for checks that go beyond numbers. The last
// remark is the step's.
std::vector<Step> steps_of_parts(const Context& context, size_t max, bool large,
                                 std::function<std::string(const Context& context, const Part& part)> body);

}  // namespace quern::conformance
