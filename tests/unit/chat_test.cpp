// Chats: texts as models were trained on them, templates recognized by what stands in them.
#include <boost/test/unit_test.hpp>

#include "libcore/base/error.h"
#include "libcore/tokens/chat.h"

using namespace quern;

BOOST_AUTO_TEST_SUITE(chat)

namespace {

const std::vector<ChatMessage> talk = {{"system", " Be brief. "}, {"user", "Hi"}, {"assistant", "Hello "}, {"user", "Bye"}};

std::string shown(const char* form, bool prompt = true) { return render_chat(chat_form_named(form), talk, prompt); }

}  // namespace

BOOST_AUTO_TEST_CASE(forms_are_as_models_know_them) {
    BOOST_TEST(shown("chatml") ==
               "<|im_start|>system\n Be brief. <|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello <|im_end|>\n"
               "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n");
    BOOST_TEST(shown("llama2-sys") == "[INST] <<SYS>>\n Be brief. \n<</SYS>>\n\nHi [/INST]Hello </s>[INST] Bye [/INST]");
    BOOST_TEST(shown("gemma") ==
               "<start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n"
               "<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n");
    BOOST_TEST(shown("mistral-v3") == "[INST]  Be brief. \n\nHi[/INST] Hello</s>[INST] Bye[/INST]");
    BOOST_TEST(shown("deepseek3", false) == " Be brief. \n\n<｜User｜>Hi<｜Assistant｜>Hello <｜end▁of▁sentence｜><｜User｜>Bye");
    BOOST_TEST(shown("bailing2", false).starts_with("<role>SYSTEM</role> Be brief. <|role_end|>"));
    const ChatMessage alone{"user", "Hi"};
    BOOST_TEST(render_chat(chat_form_named("bailing2"), {&alone, 1}, false) ==
               "<role>SYSTEM</role>detailed thinking off<|role_end|><role>HUMAN</role>Hi<|role_end|>");
}

BOOST_AUTO_TEST_CASE(templates_are_recognized) {
    const auto name = [](const char* text) {
        const ChatForm* form = recognize_chat_form(text);
        return form ? std::string(form->name) : "";
    };
    BOOST_TEST(name("{{'<|im_start|>' + message['role']}}") == "chatml");
    BOOST_TEST(name("{{'<|im_start|>' + role + '<|im_sep|>'}}") == "phi4");
    BOOST_TEST(name("'[INST] ' + '<<SYS>>'") == "llama2-sys");
    BOOST_TEST(name("<|start_header_id|> <|end_header_id|>") == "llama3");
    BOOST_TEST(name("{{ messages }}").empty());
    BOOST_TEST(name("").empty());
}

BOOST_AUTO_TEST_CASE(unknown_forms_and_roles_are_refused) {
    BOOST_CHECK_THROW((void)chat_form_named("chatlm"), Error);
    const ChatMessage tool{"tool", "1"};
    BOOST_CHECK_THROW((void)render_chat(chat_form_named("chatml"), {&tool, 1}, true), Error);
}

BOOST_AUTO_TEST_SUITE_END()
