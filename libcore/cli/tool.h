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

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/cli/options.h"

namespace quern {

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
