#include "libcore/cli/named_files.h"

#include <filesystem>

#include "formats/samples/input_list.h"
#include "formats/tensors/named_steps.h"
#include "libcore/base/error.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

// Which "=" ends the name of an input only its model could say: a path that is there begins behind it.
void add_sample(const std::string& text, const std::string& list, std::vector<std::string>& to) {
    try {
        const std::string named = parse_token(text, {}).text;
        const auto path = [&](const std::string& rest) { return sample_path(resolve_path(rest, list)); };
        for (size_t at = named.find('='); at != named.npos && !file_exists(path(named)); at = named.find('=', at + 1))
            if (std::string rest = path(named.substr(at + 1)); file_exists(rest)) return to.push_back(std::move(rest));
        to.push_back(path(named));
    } catch (const Error&) {  // is reported by what reads it
    }
}

}  // namespace

std::vector<std::string> sample_files(const std::string& input) {
    std::vector<std::string> files;
    add_sample(input, "", files);
    return files;
}

std::vector<std::string> list_files(const std::string& list) {
    const auto named = named_steps(list);
    const std::string path = named ? named->path : list;
    std::vector<std::string> files{path};
    std::error_code error;
    if (is_stream(path) || !std::filesystem::is_regular_file(path, error)) return files;  // what can be read once is the tool's
    try {
        for (const ListLine& line : read_input_list(path, {}).lines)
            for (const ListToken& token : line.tokens) add_sample(token.text, path, files);
    } catch (const Error&) {  // is reported by what reads it
    }
    return files;
}

std::vector<std::string> label_files(const std::string& labels) { return {labels.substr(0, labels.rfind(':'))}; }

std::vector<std::string> target_files(const std::string& target) {
    return target.ends_with(".json") ? std::vector{target} : std::vector<std::string>();
}

}  // namespace quern
