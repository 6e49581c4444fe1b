// No two outputs are one file, nor an output and an input: what is written last would be all that is left.
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/text.h"
#include "libcore/cli/command_line.h"
#include "libcore/os/io.h"
#include "libcore/os/output_target.h"

namespace quern {
namespace {

struct Output {
    const NamedFiles* of;
    std::string path, key;
};

constexpr size_t many = 1000;

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

bool is_written(FileRole role) { return role == FileRole::output || role == FileRole::product; }

std::vector<Output> outputs_of(const CommandLine& line) {
    std::vector<Output> outputs;
    for (const NamedFiles& files : line.files) {
        if (!is_written(files.role)) continue;
        for (const std::string& path : files.paths())
            if (std::string key = path.empty() ? "" : output_key(path); !key.empty()) outputs.push_back({&files, path, std::move(key)});
    }
    return outputs;
}

void refuse_second(const Output& one, const Output& other) {
    if (one.of->option == other.of->option) return;
    throw usage_error("{}: is the output of {} and of {}", escape(other.path), one.of->option, other.of->option)
        .with_hint("each output needs a file of its own");
}

// What "> FILE" has opened would be left without a name.
void refuse_redirected(const Output& output) {
    if (output.key != output_key("-") || is_stream(output.path)) return;
    throw usage_error("{}: is the output of {}, and standard output leads there", escape(output.path), output.of->option)
        .with_hint("each output needs a file of its own");
}

void refuse_input(const Output& output, const NamedFiles& input) {
    if (input.role == FileRole::model && output.of->role == FileRole::product) return;
    if (input.role == FileRole::model)
        throw usage_error("{}: the output is the model itself", escape(output.path))
            .with_hint(fmt::format("{} says where the product goes", output.of->option));
    throw usage_error("{}: is the output of {} and the input of {}", escape(output.path), output.of->option, input.option)
        .with_hint(fmt::format("{} needs another file", output.of->option));
}

}  // namespace

void check_files(const CommandLine& line) {
    const std::vector<Output> outputs = outputs_of(line);
    if (outputs.empty()) return;
    std::unordered_map<std::string, const Output*> by_key;
    std::unordered_set<std::string> names;  // of many inputs only those of such a name are looked at
    for (const Output& output : outputs) {
        refuse_redirected(output);
        if (const auto [earlier, fresh] = by_key.emplace(output.key, &output); !fresh) refuse_second(*earlier->second, output);
        names.insert(file_name(output.path));
    }
    for (const NamedFiles& input : line.files) {
        if (is_written(input.role)) continue;
        const std::vector<std::string> paths = input.paths();
        for (const std::string& path : paths) {
            if (path.empty() || (paths.size() > many && !names.contains(file_name(path)))) continue;
            if (const auto found = by_key.find(input_key(path)); found != by_key.end()) refuse_input(*found->second, input);
        }
    }
}

}  // namespace quern
