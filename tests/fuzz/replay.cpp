// Gives kept inputs to their fuzz targets, without a fuzzer: what was found once stays mended in every build.
// usage: fuzz_replay FOLDER...: the files of FOLDER/TARGET, or, of targets without a folder, none.
//        fuzz_replay --draw TARGET COUNT [FIRST]: graphs drawn from numbers, for targets that take such
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz_targets.h"

namespace {

namespace fs = std::filesystem;

std::string current;

void say_crash(int signal) {
    static_cast<void>(!write(STDERR_FILENO, current.data(), current.size()));
    _exit(128 + signal);
}

void give(const Target& target, const std::string& name, const std::string& data) {
    current = fmt::format("this was input {} of {}\n", name, target.name);
    target.run(reinterpret_cast<const uint8_t*>(data.data()), data.size());
}

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    if (fs::is_directory(folder))
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

size_t replay(const std::string& folder) {
    size_t count = 0;
    for (const Target& target : targets)
        for (const fs::path& path : files_in(fs::path(folder) / target.name)) {
            std::ifstream file(path, std::ios::binary);
            give(target, path.string(), {std::istreambuf_iterator<char>(file), {}});
            ++count;
        }
    return count;
}

int draw(const std::string& name, int count, int first) {
    const auto* const target = std::ranges::find(targets, name, &Target::name);
    if (target == std::end(targets)) return 2;
    for (int i = first; i < first + count; ++i) {
        std::mt19937_64 random(static_cast<uint64_t>(i));
        std::string data(200, '\0');
        std::ranges::generate(data, [&] { return static_cast<char>(random()); });
        data[name == "quantize_fuzz" ? 32 : 0] = 'D';
        give(*target, fmt::format("--draw {} 1 {}", name, i), data);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL}) std::signal(signal, say_crash);
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() >= 3 && words[0] == "--draw") return draw(words[1], std::stoi(words[2]), words.size() > 3 ? std::stoi(words[3]) : 0);
    size_t count = 0;
    for (const std::string& folder : words) count += replay(folder);
    fmt::print("{} inputs of {} targets\n", count, std::size(targets));
    return count == 0 ? 1 : 0;
}
