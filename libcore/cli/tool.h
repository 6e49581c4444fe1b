// tool_main: the manners that every tool shares - options, help, version, errors, exit codes. The only code that knows CLI11.
//
//     class ModelInfo : public quern::Tool {
//         std::string model_ = "-";
//         bool json_ = false;
//         std::string_view name() const override { return "model-info"; }
//         std::string_view summary() const override { return "show what is inside a model"; }
//         void options(quern::Options& add) override {
//             add.model(model_);
//             add.flag(json_, "--json", "print JSON");
//         }
//         quern::Exit run() override { ... }
//     };
//     int main(int argc, char** argv) { ModelInfo tool; return quern::tool_main(tool, argc, argv); }
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/passes/pin.h"

namespace quern {

struct CommandLine;  // command_line.h

// What a number may be; --help states it. `above`: `least` itself is out. `hint`: for those who give another.
struct NumberBounds {
    double least, most;
    bool above = false;
    std::string_view hint = {};
};

// Which options a command line has, by their long names, those that every tool has apart.
class GivenOptions {
   public:
    void add(std::string name) { names_.push_back(std::move(name)); }
    bool has(std::string_view name) const;
    // Throws Exit::usage if there is one of `names`, respectively another: "--temp WHY".
    void refuse(std::span<const std::string_view> names, std::string_view why) const;
    void refuse_others(std::span<const std::string_view> names, std::string_view why) const;

   private:
    std::vector<std::string> names_;
};

// What a file that the command line names is to the tool. No two outputs, and no output and input, may be one file; what is made of the
// model may take its place.
enum class FileRole { model, input, output, product };

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
    // As flag(); `otherwise` is no file.
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
    // Other numbers than from `least` to `most` are usage errors.
    void integer(int64_t& to, std::string_view names, std::string_view value, std::string_view doc, int64_t least = 0,
                 int64_t most = most_integer);
    void integer(std::optional<int64_t>& to, std::string_view names, std::string_view value, std::string_view doc, int64_t least = 0,
                 int64_t most = most_integer);
    void real(double& to, std::string_view names, std::string_view value, std::string_view doc, const NumberBounds& bounds);
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
    static constexpr int64_t most_integer = 1'000'000'000'000'000'000;
    CommandLine& line_;
};

class Tool {
   public:
    virtual ~Tool() = default;
    virtual std::string_view name() const = 0;                             // "quantize"
    virtual std::string_view summary() const = 0;                          // one line for --help
    virtual std::vector<std::string_view> examples() const { return {}; }  // two command lines for --help and the man page
    virtual void options(Options& add) = 0;
    virtual Exit run() = 0;                                                         // failures throw Error
    virtual std::string command() const { return "quern " + std::string(name()); }  // how it is called
    virtual bool has_quiet() const { return true; }                                 // -v and -q are not the tool's own
};

// Parses, runs, reports: "quantize: net.onnx: ..." and "hint: ..." on stderr; returns the exit code.
int tool_main(Tool& tool, int argc, char** argv);

// 0: silent (-q), 1: normal, 2 and more: -v.
int verbosity();
// Throws Exit::usage if `path` has another suffix than these; one without, and a stream, may be anything.
void check_suffix(std::string_view option, const std::string& path, std::span<const std::string_view> suffixes);
// A line on stderr for the user, "quantize: " prepended, unless -q: for what must not stay silent.
void notice(std::string_view message);
// A line for each, the first few unless -v.
void notice_few(const std::vector<std::string>& lines);
// Runs one of several independent parts of a tool: what it throws is printed as tool_main prints it, with `place` before it unless it is
// there already; returns its exit code.
Exit reported(const std::string& place, const std::function<void()>& part);
// Text for standard output; write errors (closed pipes aside) end the tool with Exit::io.
void print(std::string_view text);

}  // namespace quern
