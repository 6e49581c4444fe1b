// C and C++ sources of nets of any bytes, which no compiler sees here: refused, or texts whose brackets, strings and comments are closed,
// whatever the names of the model are.
#include "libcore/codegen/generator.h"
#include "libcore/os/io.h"
#include "libcore/os/temporary.h"
#include "tests/fuzz/nets.h"

namespace {

using namespace quern;

// Behind a string or a character that begins at `at`; npos if it does not end on its line.
size_t end_of_quoted(std::string_view text, size_t at) {
    const char quote = text[at];
    for (size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == quote)
            return i + 1;
    }
    return text.npos;
}

// What is wrong with it as a text of C; empty if nothing is.
std::string fault_of(std::string_view text) {
    std::string open;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (text.substr(i).starts_with("//")) {
            i = std::min(text.find('\n', i), text.size());
            if (i > 0 && text[i - 1] == '\\') return "a comment goes on in the next line";
        } else if (text.substr(i).starts_with("/*")) {
            i = text.find("*/", i + 2);
            if (i == text.npos) return "a comment is not closed";
            ++i;
        } else if (c == '"' || c == '\'') {
            i = end_of_quoted(text, i);
            if (i == text.npos) return "a string is not closed";
            --i;
        } else if (c == '(' || c == '[' || c == '{') {
            open += c == '(' ? ')' : c == '[' ? ']' : '}';
        } else if (c == ')' || c == ']' || c == '}') {
            if (open.empty() || open.back() != c) return fmt::format("a {} that nothing opened", c);
            open.pop_back();
        } else if (static_cast<unsigned char>(c) > 126 || (c < 32 && c != '\n')) {
            return fmt::format("a byte {} outside of strings and comments", static_cast<int>(c));
        }
        if (text.substr(i).starts_with("?\?")) return "a trigraph";
    }
    return open.empty() ? "" : fmt::format("a {} is missing", open.back());
}

void generate(const Model& model, const Generator& generator, Preference preference, const std::string& folder) {
    expect_only_refusals([&] {
        const Generated made = generator.generate({.model = model, .model_path = "net.onnx", .output = folder, .preference = preference});
        for (const std::string& path : made.files) {
            if (!path.ends_with(".c") && !path.ends_with(".h") && !path.ends_with(".cpp")) continue;
            const std::string fault = fault_of(map_input(path).text());
            if (!fault.empty()) found(model, fmt::format("{}: {}", path, fault));
        }
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const TemporaryFolder folder;
    expect_only_refusals([&] {
        const auto net = net_of(data, size);
        if (!net) return;
        const auto preference = static_cast<Preference>(size % 3);
        if (net->runs) generate(net->model, *find_generator("c"), preference, folder.path());
        generate(net->model, *find_generator("cpp"), Preference::usual, folder.path());
    });
    return 0;
}
