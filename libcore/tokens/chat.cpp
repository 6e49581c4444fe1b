#include "libcore/tokens/chat.h"

#include <algorithm>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {

namespace {

// A form is that of a template in which all of these stand; the first row that fits.
struct Marks {
    std::string_view form;
    std::vector<std::string_view> all;
};

const std::vector<Marks>& marks() {
    static const std::vector<Marks> rows = {
        {"phi4", {"<|im_start|>", "<|im_sep|>"}},
        {"smolvlm", {"<|im_start|>", "<end_of_utterance>"}},
        {"chatml", {"<|im_start|>"}},
        {"mistral-v7", {"[INST]", "[SYSTEM_PROMPT]"}},
        {"mistral-v1", {"' [INST] ' + system_message"}},
        {"mistral-v1", {"[AVAILABLE_TOOLS]", " [INST]"}},
        {"mistral-v3-tekken", {"[AVAILABLE_TOOLS]", "\"[INST]\""}},
        {"mistral-v3", {"[AVAILABLE_TOOLS]", "[INST]"}},
        {"llama2-sys-strip", {"[INST]", "content.strip()"}},
        {"llama2-sys-bos", {"bos_token + '[INST]"}},
        {"llama2-sys", {"[INST]", "<<SYS>>"}},
        {"llama2", {"[INST]"}},
        {"phi3", {"<|assistant|>", "<|end|>"}},
        {"chatglm4", {"[gMASK]<sop>"}},
        {"exaone-moe", {"<|assistant|>", "<|user|>", "<|tool_declare|>"}},
        {"falcon3", {"<|assistant|>", "<|user|>", "</s>"}},
        {"glmedge", {"<|assistant|>", "<|user|>"}},
        {"glmedge", {"<|{{ item['role'] }}|>", "<|begin_of_image|>"}},
        {"zephyr", {"<|user|>", "<|endoftext|>"}},
        {"gemma", {"<start_of_turn>"}},
        {"orion", {R"('\n\nAssistant: ' + eos_token)"}},
        {"openchat", {"GPT4 Correct "}},
        {"vicuna-orca", {"USER: ", "ASSISTANT: ", "SYSTEM: "}},
        {"vicuna", {"USER: ", "ASSISTANT: "}},
        {"deepseek", {"### Instruction:", "<|EOT|>"}},
        {"command-r", {"<|START_OF_TURN_TOKEN|>", "<|USER_TOKEN|>"}},
        {"llama3", {"<|start_header_id|>", "<|end_header_id|>"}},
        {"chatglm3", {"[gMASK]sop"}},
        {"minicpm", {"<用户>"}},
        {"deepseek2", {"'Assistant: ' + message['content'] + eos_token"}},
        {"deepseek3", {"<｜Assistant｜>", "<｜User｜>", "<｜end▁of▁sentence｜>"}},
        {"exaone4", {"[|system|]", "[|assistant|]", "[|endofturn|]", "[|tool|]"}},
        {"exaone3", {"[|system|]", "[|assistant|]", "[|endofturn|]"}},
        {"granite", {"<|start_of_role|>"}},
        {"megrez", {"<|role_start|>"}},
        {"bailing", {"<role>ASSISTANT</role>", "'HUMAN'"}},
        {"bailing-think", {"<role>ASSISTANT</role>", "\"HUMAN\"", "<think>"}},
        {"bailing2", {"<role>ASSISTANT</role>", "<role>HUMAN</role>", "<|role_end|>"}},
        {"llama4", {"<|header_start|>", "<|header_end|>"}},
        {"hunyuan-moe", {"<|extra_0|>", "<|extra_4|>"}},
        {"gpt-oss", {"<|start|>", "<|channel|>"}},
        {"kimi-k2", {"<|im_assistant|>assistant<|im_middle|>"}},
        {"seed_oss", {"<seed:bos>"}},
        {"grok-2", {"'Assistant: '  + message['content'] + '<|separator|>"}},
        {"solar-open", {"<|begin|>", "<|end|>", "<|content|>"}},
    };
    return rows;
}

const ChatForm* find_form(std::string_view name) {
    const auto found = std::ranges::find(chat_forms(), name, &ChatForm::name);
    return found == chat_forms().end() ? nullptr : &*found;
}

const ChatRole& role_of(const ChatForm& form, const std::string& role) {
    if (role == "system") return form.system;
    if (role == "user") return form.user;
    if (role == "assistant") return form.assistant;
    throw usage_error(R"(a chat has no role "{}"; roles are system, user and assistant)", escape(role));
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return std::string(text);
}

}  // namespace

const ChatForm& chat_form_named(std::string_view name) {
    if (const ChatForm* form = find_form(name)) return *form;
    std::vector<std::string> known;
    for (const ChatForm& form : chat_forms()) known.emplace_back(form.name);
    throw usage_error(R"(no form of chats is named "{}"{}; known are {})", escape(name), did_you_mean(name, known), join(known, ", "));
}

const ChatForm* recognize_chat_form(std::string_view chat_template) {
    const auto stands = [&](std::string_view mark) { return chat_template.find(mark) != std::string_view::npos; };
    for (const Marks& row : marks())
        if (std::ranges::all_of(row.all, stands)) return find_form(row.form);
    return nullptr;
}

std::string render_chat(const ChatForm& form, std::span<const ChatMessage> messages, bool prompt) {
    std::string text = form.begin, system;
    if (messages.empty() || messages.front().role != "system") text += form.no_system;
    bool in_turn = false, first = true;
    for (const ChatMessage& message : messages) {
        const ChatRole& role = role_of(form, message.role);
        const std::string content = role.trim ? trimmed(message.content) : message.content;
        if (form.system_joins_user && &role == &form.system) {
            system += content;
            continue;
        }
        if (!in_turn) text += first ? form.turn : form.next_turn;
        in_turn = &role != &form.assistant;
        first = false;
        text += role.before;
        if (!system.empty() && &role == &form.user) text += std::exchange(system, {}) + "\n\n";
        text += content + role.after;
    }
    return prompt ? text + form.prompt : text;
}

}  // namespace quern
