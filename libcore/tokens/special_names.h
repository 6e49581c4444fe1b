// Names by which tokens are known to be special, since files often do not say so: as llama.cpp has them.
#pragma once

#include <array>
#include <string_view>

namespace quern::tokens {

using Name = std::string_view;

inline constexpr std::array end_of_turn_names = {
    Name("<|eot_id|>"),        Name("<|im_end|>"), Name("<|end|>"), Name("<end_of_turn>"), Name("<|endoftext|>"),
    Name("<|end_of_text|>"),   Name("<EOT>"),      Name("_<EOT>"),  Name("[EOT]"),         Name("<｜end▁of▁sentence｜>"),
    Name("<end_of_utterance>")};
inline constexpr std::array end_of_message_names = {Name("<|eom_id|>")};

// Fill in the middle.
inline constexpr std::array fim_prefix_names = {Name("<|fim_prefix|>"),  Name("<fim-prefix>"), Name("<fim_prefix>"),
                                                Name("<｜fim▁begin｜>"), Name("<PRE>"),        Name("▁<PRE>"),
                                                Name("<|code_prefix|>"), Name("<|prefix|>")};
inline constexpr std::array fim_suffix_names = {Name("<|fim_suffix|>"),  Name("<fim-suffix>"), Name("<fim_suffix>"),
                                                Name("<｜fim▁hole｜>"),  Name("<SUF>"),        Name("▁<SUF>"),
                                                Name("<|code_suffix|>"), Name("<|suffix|>")};
inline constexpr std::array fim_middle_names = {Name("<|fim_middle|>"),  Name("<fim-middle>"), Name("<fim_middle>"),
                                                Name("<｜fim▁end｜>"),   Name("<MID>"),        Name("▁<MID>"),
                                                Name("<|code_middle|>"), Name("<|middle|>")};
inline constexpr std::array fim_padding_names = {Name("<|fim_pad|>"), Name("<fim-pad>"), Name("<fim_pad>"), Name("<PAD>"), Name("[PAD]")};
inline constexpr std::array fim_repository_names = {Name("<|fim_repo|>"), Name("<|repo_name|>"), Name("<fim-repo>"), Name("<REPO>"),
                                                    Name("<reponame>")};
inline constexpr std::array fim_separator_names = {Name("<|file_sep|>")};

// Tokens that end what a model says.
inline constexpr std::array end_names = {Name("<|eot_id|>"),
                                         Name("<|im_end|>"),
                                         Name("<|end|>"),
                                         Name("<|return|>"),
                                         Name("<|call|>"),
                                         Name("<|flush|>"),
                                         Name("<|calls|>"),
                                         Name("<end_of_turn>"),
                                         Name("<|endoftext|>"),
                                         Name("</s>"),
                                         Name("<|eom_id|>"),
                                         Name("<EOT>"),
                                         Name("_<EOT>"),
                                         Name("[EOT]"),
                                         Name("[EOS]"),
                                         Name("<|end_of_text|>"),
                                         Name("<end_of_utterance>"),
                                         Name("<eos>"),
                                         Name("<turn|>"),
                                         Name("<|tool_response>"),
                                         Name("<｜end▁of▁sentence｜>"),
                                         Name("[e~[")};
// Control tokens that are part of the text.
inline constexpr std::array shown_names = {Name("<|channel|>"), Name("<|message|>"), Name("<|start|>"), Name("<|constrain|>")};

}  // namespace quern::tokens
