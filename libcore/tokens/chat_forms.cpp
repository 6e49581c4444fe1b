// The table of chat forms (chat.h): what stands around the messages of each role.
#include <optional>

#include "libcore/tokens/chat.h"

namespace quern {

namespace {

// One form for all roles: `before` ROLE `behind` CONTENT `after`. The prompt is the beginning of an answer, or `prompt_behind` is behind
// its role.
ChatForm alike(std::string_view name, const std::string& before, const std::string& behind, const std::string& after, bool trim = false,
               const std::optional<std::string>& prompt_behind = {}) {
    const auto role = [&](const std::string& who) { return ChatRole{before + who + behind, after, trim}; };
    return {.name = name,
            .system = role("system"),
            .user = role("user"),
            .assistant = role("assistant"),
            .prompt = before + "assistant" + prompt_behind.value_or(behind)};
}

ChatForm beginning(std::string begin, ChatForm form) {
    form.begin = std::move(begin);
    return form;
}

ChatForm llama2(std::string_view name, bool marks_system, bool trim, const std::string& next_turn) {
    const std::string before = marks_system ? "<<SYS>>\n" : "", after = marks_system ? "\n<</SYS>>\n\n" : "\n";
    return {.name = name,
            .system = {before, after, trim},
            .user = {"", " [/INST]", trim},
            .assistant = {"", "</s>", trim},
            .prompt = "",
            .turn = "[INST] ",
            .next_turn = next_turn};
}

ChatForm mistral(std::string_view name, const std::string& leading, const std::string& trailing, bool trim_answer) {
    const std::string turn = leading + "[INST]" + trailing;
    return {.name = name,
            .system = {"", "\n\n"},
            .user = {"", leading + "[/INST]"},
            .assistant = {trailing, "</s>", trim_answer},
            .prompt = "",
            .turn = turn,
            .next_turn = turn};
}

ChatForm mistral7(std::string_view name, const std::string& blank) {
    return {.name = name,
            .system = {"[SYSTEM_PROMPT]" + blank, "[/SYSTEM_PROMPT]"},
            .user = {"[INST]" + blank, "[/INST]"},
            .assistant = {blank, "</s>"},
            .prompt = ""};
}

ChatForm bailing(std::string_view name, const std::string& after, const std::string& think) {
    return {.name = name,
            .system = {"<role>SYSTEM</role>", after},
            .user = {"<role>HUMAN</role>", after},
            .assistant = {"<role>ASSISTANT</role>", after},
            .prompt = "<role>ASSISTANT</role>" + think};
}

std::vector<ChatForm> make_forms() {
    ChatForm bailing2 = bailing("bailing2", "<|role_end|>", "");
    bailing2.no_system = "<role>SYSTEM</role>detailed thinking off<|role_end|>";
    ChatForm harmony = alike("gpt-oss", "<|start|>", "<|message|>", "<|end|>", false, "");
    harmony.assistant.after = "<|return|>";
    ChatForm seed = alike("seed_oss", "<seed:bos>", "\n", "<seed:eos>");
    seed.assistant.trim = true;
    return {
        alike("chatml", "<|im_start|>", "\n", "<|im_end|>\n"),
        llama2("llama2", false, false, "[INST] "),
        llama2("llama2-sys", true, false, "[INST] "),
        llama2("llama2-sys-bos", true, false, "<s>[INST] "),
        llama2("llama2-sys-strip", true, true, "[INST] "),
        mistral("mistral-v1", " ", " ", false),
        mistral("mistral-v3", "", " ", true),
        mistral("mistral-v3-tekken", "", "", false),
        mistral7("mistral-v7", " "),
        mistral7("mistral-v7-tekken", ""),
        alike("phi3", "<|", "|>\n", "<|end|>\n"),
        alike("phi4", "<|im_start|>", "<|im_sep|>", "<|im_end|>"),
        alike("falcon3", "<|", "|>\n", "\n"),
        alike("zephyr", "<|", "|>\n", "<|endoftext|>\n"),
        {.name = "gemma",
         .system = {"", "", true},
         .user = {"<start_of_turn>user\n", "<end_of_turn>\n", true},
         .assistant = {"<start_of_turn>model\n", "<end_of_turn>\n", true},
         .prompt = "<start_of_turn>model\n",
         .system_joins_user = true},
        {.name = "orion",
         .system = {},
         .user = {"Human: ", "\n\nAssistant: </s>"},
         .assistant = {"", "</s>"},
         .prompt = "",
         .system_joins_user = true},
        {.name = "openchat",
         .system = {"", "<|end_of_turn|>"},
         .user = {"GPT4 Correct User: ", "<|end_of_turn|>"},
         .assistant = {"GPT4 Correct Assistant: ", "<|end_of_turn|>"},
         .prompt = "GPT4 Correct Assistant:"},
        {.name = "vicuna",
         .system = {"", "\n\n"},
         .user = {"USER: ", "\n"},
         .assistant = {"ASSISTANT: ", "</s>\n"},
         .prompt = "ASSISTANT:"},
        {.name = "vicuna-orca",
         .system = {"SYSTEM: ", "\n"},
         .user = {"USER: ", "\n"},
         .assistant = {"ASSISTANT: ", "</s>\n"},
         .prompt = "ASSISTANT:"},
        {.name = "deepseek",
         .system = {},
         .user = {"### Instruction:\n", "\n"},
         .assistant = {"### Response:\n", "\n<|EOT|>\n"},
         .prompt = "### Response:\n"},
        {.name = "deepseek2",
         .system = {"", "\n\n"},
         .user = {"User: ", "\n\n"},
         .assistant = {"Assistant: ", "<｜end▁of▁sentence｜>"},
         .prompt = "Assistant:"},
        {.name = "deepseek3",
         .system = {"", "\n\n"},
         .user = {"<｜User｜>", ""},
         .assistant = {"<｜Assistant｜>", "<｜end▁of▁sentence｜>"},
         .prompt = "<｜Assistant｜>"},
        {.name = "command-r",
         .system = {"<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>", "<|END_OF_TURN_TOKEN|>", true},
         .user = {"<|START_OF_TURN_TOKEN|><|USER_TOKEN|>", "<|END_OF_TURN_TOKEN|>", true},
         .assistant = {"<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>", true},
         .prompt = "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"},
        alike("llama3", "<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>", true),
        alike("llama4", "<|header_start|>", "<|header_end|>\n\n", "<|eot|>", true),
        beginning("[gMASK]sop", alike("chatglm3", "<|", "|>\n ", "", false, "|>")),
        beginning("[gMASK]<sop>", alike("chatglm4", "<|", "|>\n", "")),
        alike("glmedge", "<|", "|>\n", "", false, "|>"),
        {.name = "minicpm", .system = {"", "", true}, .user = {"<用户>", "<AI>", true}, .assistant = {"", "", true}, .prompt = ""},
        {.name = "exaone3",
         .system = {"[|system|]", "[|endofturn|]\n", true},
         .user = {"[|user|]", "\n", true},
         .assistant = {"[|assistant|]", "[|endofturn|]\n", true},
         .prompt = "[|assistant|]"},
        {.name = "exaone4",
         .system = {"[|system|]", "[|endofturn|]\n", true},
         .user = {"[|user|]", "\n", true},
         .assistant = {"[|assistant|]", "[|endofturn|]\n", true},
         .prompt = "[|assistant|]"},
        alike("exaone-moe", "<|", "|>\n", "<|endofturn|>\n", true),
        alike("granite", "<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>\n"),
        alike("megrez", "<|role_start|>", "<|role_end|>", "<|turn_end|>"),
        bailing("bailing", "", ""),
        bailing("bailing-think", "", "<think>"),
        bailing2,
        {.name = "smolvlm",
         .system = {"", "\n\n"},
         .user = {"User: ", "<end_of_utterance>\n"},
         .assistant = {"Assistant: ", "<end_of_utterance>\n"},
         .prompt = "Assistant:",
         .begin = "<|im_start|>"},
        {.name = "hunyuan-moe",
         .system = {"<|startoftext|>", "<|extra_4|>"},
         .user = {"<|startoftext|>", "<|extra_0|>"},
         .assistant = {"", "<|eos|>"},
         .prompt = ""},
        harmony,
        {.name = "kimi-k2",
         .system = {"<|im_system|>system<|im_middle|>", "<|im_end|>"},
         .user = {"<|im_user|>user<|im_middle|>", "<|im_end|>"},
         .assistant = {"<|im_assistant|>assistant<|im_middle|>", "<|im_end|>"},
         .prompt = "<|im_assistant|>assistant<|im_middle|>"},
        seed,
        {.name = "grok-2",
         .system = {"System: ", "<|separator|>\n\n", true},
         .user = {"Human: ", "<|separator|>\n\n", true},
         .assistant = {"Assistant: ", "<|separator|>\n\n"},
         .prompt = "Assistant:"},
        alike("solar-open", "<|begin|>", "<|content|>", "<|end|>", false, ""),
    };
}

}  // namespace

std::span<const ChatForm> chat_forms() {
    static const std::vector<ChatForm> forms = make_forms();
    return forms;
}

}  // namespace quern
