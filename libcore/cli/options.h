// Options: what a tool declares that it takes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/cli/given_options.h"
#include "libcore/passes/pin.h"

namespace quern {

struct CommandLine;  // command_line.h

// What a number may be; --help states it. `above`: `min` itself is out. `hint`: for those who give another.
struct NumberBounds {
    double min, max;
    bool above = false;
    std::string_view hint = {};
};

// The paths in an option's text, where that is more than a path: "FILE:COLUMN".
using PathsOf = std::function<std::vector<std::string>(const std::string& text)>;

// Declares what a tool takes. Names as "-o,--output"; `_` equals `-` in long names. Defaults are the values the variables hold.
// `value` names the argument in --help: "FILE".
class Options {
   public:
    explicit Options(CommandLine& line) : line_(line) {}

    // The first positional argument, "-" if absent.
    void model(std::string& to);
    // --signature NAME: which graph of a file that has several.
    void signature(std::string& to);
    // --shape NAME=DIMS, for set_input_shapes(); may repeat.
    void shapes(std::vector<std::string>& to);
    // That and --pin NAME=NUMBER, for fix_inputs().
    void shapes(FixedInputs& to);
    // --pin NAME=NUMBER, for pin_inputs(); may repeat.
    void pins(std::vector<std::string>& to);
    void positional(std::string& to, std::string_view name, std::string_view doc, bool required = true, FileRole role = FileRole::input);
    void positionals(std::vector<std::string>& to, std::string_view name, std::string_view doc, FileRole role = FileRole::input);
    // Options that name files are declared by these: text(), texts() and flag() refuse a `value` such as "FILE". Before the tool runs,
    // outputs are compared with each other and with the inputs.
    void input(std::string& to, std::string_view names, std::string_view value, std::string_view doc, const PathsOf& paths = {});
    void inputs(std::vector<std::string>& to, std::string_view names, std::string_view value, std::string_view doc,
                const PathsOf& paths = {});  // may repeat
    void output(std::string& to, std::string_view names, std::string_view value, std::string_view doc, FileRole role = FileRole::output);
    // As flag(); `otherwise` is not a file.
    void output_flag(std::string& to, std::string_view name, std::string_view value, std::string_view otherwise, std::string_view doc);
    // Files that lie beside an output.
    void beside(std::string_view option, const std::function<std::vector<std::string>()>& paths);
    void flag(bool& to, std::string_view names, std::string_view doc);
    // --name or --name=VALUE; alone it stands for `otherwise`.
    void flag(std::string& to, std::string_view name, std::string_view value, std::string_view otherwise, std::string_view doc);
    void text(std::string& to, std::string_view names, std::string_view value, std::string_view doc);
    void text(std::optional<std::string>& to, std::string_view names, std::string_view value, std::string_view doc);
    void texts(std::vector<std::string>& to, std::string_view names, std::string_view value, std::string_view doc);  // may repeat
    void list(std::vector<std::string>& to, std::string_view names, std::string_view value, std::string_view doc);   // a,b,c
    // Other numbers than from `min` to `max` are usage errors.
    void integer(int64_t& to, std::string_view names, std::string_view value, std::string_view doc, int64_t min = 0,
                 int64_t max = max_integer);
    void integer(std::optional<int64_t>& to, std::string_view names, std::string_view value, std::string_view doc, int64_t min = 0,
                 int64_t max = max_integer);
    void real(double& to, std::string_view names, std::string_view value, std::string_view doc, const NumberBounds& bounds);
    // "5" is for `to`, "5%" for `percent`, by the same bounds.
    void real_or_percent(double& to, double& percent, std::string_view names, std::string_view value, std::string_view doc,
                         const NumberBounds& bounds);
    void choice(std::string& to, std::string_view names, std::span<const std::string_view> choices, std::string_view doc);
    // --threads N; what it holds afterwards is at least 1 (0 before: all processors of this process).
    void threads(int64_t& to);
    // --isa SET: limits the float kernels of this process.
    void isa();
    // --isa SET of what is made for a machine: this process is limited to it where it has it; else `to` is its name in context_isas.
    void isa(std::string& to);
    // `to` gets what the command line has, before the tool runs.
    void given(GivenOptions& to);
    // Each of `options` is for those who give `other`, too: else a usage error says so before the tool runs.
    void needs(std::initializer_list<std::string_view> options, std::string_view other);
    // A heading in --help for the options that follow.
    void group(std::string_view title);

   private:
    static constexpr int64_t max_integer = 1'000'000'000'000'000'000;
    CommandLine& line_;
};

}  // namespace quern
