// Ids of texts, for comparisons with other tokenizers: token_lines TOKENIZER.json [--special] [--plain] [--default-rule] <TEXTS
//
// Each line of input is a text in hexadecimal digits, each line of output its ids and, behind a bar, what they decode to (hexadecimal,
// too).
// --chats instead of a file: the input is a chat, "ROLE CONTENT" in each line; output is each form's name and texts, without and with a
// prompt. --rules instead of a file prints the names of the rules for words, a line for each rule. --special: names of control tokens
// count;
// --plain: no begin and end tokens. --hugging-face: prints tokenizer.json instead.
#include <fmt/core.h>

#include <fstream>
#include <iostream>
#include <iterator>

#include "libcore/base/error.h"
#include "libcore/tokens/chat.h"
#include "libcore/tokens/hugging_face.h"
#include "libcore/tokens/pre_rules.h"
#include "libcore/tokens/tokenizer.h"

using namespace quern;

namespace {

std::string from_hex(const std::string& digits) {
    std::string bytes;
    for (size_t i = 0; i + 1 < digits.size(); i += 2) bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
    return bytes;
}

std::string hex(const std::string& bytes) {
    std::string digits;
    for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return digits;
}

void print_chats() {
    std::vector<ChatMessage> messages;
    for (std::string role, content; std::cin >> role >> content;) messages.push_back({role, from_hex(content)});
    for (const ChatForm& form : chat_forms())
        fmt::print("{} {} {}\n", form.name, hex(render_chat(form, messages, false)), hex(render_chat(form, messages, true)));
}

void run(std::span<char*> arguments) {
    if (std::string_view(arguments[0]) == "--chats") return print_chats();
    if (std::string_view(arguments[0]) == "--rules") {
        for (const tokens::PreRule& rule : tokens::pre_rules()) fmt::print("{}\n", rule.names);
        return;
    }
    std::ifstream file(arguments[0], std::ios::binary);
    const std::string json{std::istreambuf_iterator<char>(file), {}};
    Tokenizer::Options options;
    Tokenizer::Encode how;
    for (const std::string_view argument : arguments.subspan(1)) {
        how.parse_special |= argument == "--special";
        how.add_special &= argument != "--plain";
        options.default_rule |= argument == "--default-rule";
        if (argument == "--hugging-face") return fmt::print("{}", hugging_face_files(parse_tokenizer(json)).tokenizer);
    }
    const Tokenizer tokenizer(parse_tokenizer(json), options);
    for (std::string line; std::getline(std::cin, line);) {
        const auto ids = tokenizer.encode(from_hex(line), how);
        std::string shown;
        for (const int32_t id : ids) shown += fmt::format("{} ", id);
        fmt::print("{}|{}\n", shown, hex(tokenizer.decode(ids)));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    try {
        run(std::span(argv + 1, static_cast<size_t>(argc - 1)));
        return 0;
    } catch (const Error& error) {
        fmt::print(stderr, "{}\n", error.message());
        return static_cast<int>(error.exit());
    }
}
