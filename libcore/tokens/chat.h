// Chats as texts: the forms that models were trained on, as rows. A file's template (Jinja) is recognized by what stands in it, as
// llama.cpp does, and never executed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

struct ChatMessage {
    std::string role;  // "system", "user" or "assistant"
    std::string content;
};

// What stands around a message of a role.
struct ChatRole {
    std::string before, after;
    bool trim = false;  // the content without blanks at its ends
};

struct ChatForm {
    std::string_view name;  // as llama.cpp names it
    ChatRole system, user, assistant;
    std::string prompt;              // makes the model answer
    std::string begin = {};          // before everything
    std::string turn = {};           // before the first message
    std::string next_turn = {};      // before the message behind an answer
    bool system_joins_user = false;  // the system's content stands before the next user's, with an empty line between
    std::string no_system = {};      // behind `begin` where the first message is not the system's
};

std::span<const ChatForm> chat_forms();
// Throws Exit::usage for a name that no form has, with those known.
const ChatForm& chat_form_named(std::string_view name);
// The form of a file's template; nullptr: none is recognized.
const ChatForm* recognize_chat_form(std::string_view chat_template);

// `prompt`: ends with what makes the model answer. Throws Exit::usage for another role.
std::string render_chat(const ChatForm& form, std::span<const ChatMessage> messages, bool prompt);

}  // namespace quern
