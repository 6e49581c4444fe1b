// Programs as files: a compiled graph with its kernels' weights and its memory plan, mapped and used in place. What the built-in back ends
// compile to, and what a context has of them.
#pragma once

#include <set>

#include "libcore/backend/compile_options.h"
#include "libcore/exec/program.h"
#include "libcore/os/io.h"

namespace quern::context_format {

inline constexpr std::string_view program_magic = "QUERNPRG";
inline constexpr size_t large_array = 4096;  // bytes: such a constant is an array, which programs can share

bool is_program(const Bytes& bytes);

// At the beginning of `file`, which is not committed. Compiles the graph and runs it once on zeros (CompiledGraph::record). One for another
// machine has what is the same on all of them: kernels on codes and on blocks, tables; its other steps are left open (open_row).
void write_program(const Graph& graph, const BlobOptions& options, OutputFile& file);

struct ProgramFile {
    Graph graph;  // as it runs; verified, the held values among its inputs
    CompileOptions options;
    std::string isa;
    Recorded recorded;
};
// Checks everything but the weights' digests. Weights are slices of `bytes`. Throws Exit::bad_input, Exit::unsupported.
ProgramFile read_program(const Bytes& bytes);
// Loads the libraries of the kernels that the plan names, which load_program would wait for. Says nothing of what is wrong.
void load_kernels(const Bytes& bytes);
// Ready to run. Exit::unsupported if this machine, or its limit, lacks the instruction set.
std::shared_ptr<const CompiledGraph> load_program(const Bytes& bytes);
// Compares all sections, weights included, with their digests.
void check_program(const Bytes& bytes);
// Compares with their digests what load_program() does not: beside the first run. `checked`: of the programs before, which may have the
// same weights. Throws Exit::bad_input.
void check_weights(const Bytes& bytes, std::set<std::pair<const std::byte*, size_t>>& checked);

}  // namespace quern::context_format
