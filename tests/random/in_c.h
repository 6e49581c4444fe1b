// Drawn graphs as generated C, many of them compiled by few calls of the compiler.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "libcore/conformance/grow.h"
#include "tests/codegen/cases/made.h"

namespace quern::random_graphs {

class InC {
   public:
    explicit InC(std::filesystem::path folder);
    ~InC();
    InC(const InC&) = delete;
    InC& operator=(const InC&) = delete;

    // Without the nodes that there is no C for.
    void add(const RandomGraph& drawn);
    RandomGraph graph(size_t i) const;  // what was generated of it
    // What differs from the reference, one for each that was added; empty where nothing does, or there is no C.
    std::vector<std::string> differences() const;
    size_t generated() const;
    size_t nodes() const;                                                       // of those that were generated
    const std::map<std::string, size_t>& refusals() const { return refused_; }  // "Operator: reason", how often

   private:
    std::filesystem::path folder_;
    std::vector<codegen_cases::Made> made_;
    std::map<std::string, size_t> refused_;
};

// The same of one graph.
std::string difference_in_c(const RandomGraph& drawn);

}  // namespace quern::random_graphs
