// The table of architectures (architecture.h): one row of facts each.
#include "formats/gguf/architecture.h"

#include <algorithm>
#include <array>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

using enum Architecture::Rope;
using enum Architecture::Activation;
using enum Architecture::Parallel;

constexpr std::array architectures_table{
    Architecture{.name = "arcee", .doc = "Arcee AFM", .activation = relu_squared},
    Architecture{.name = "chatglm", .doc = "ChatGLM 2 to 4"},
    Architecture{.name = "codeshell", .doc = "CodeShell", .rope = halves, .activation = gelu, .layer_norm = true},
    Architecture{.name = "cohere2",
                 .doc = "Command R7B, Command A",
                 .layer_norm = true,
                 .parallel = always,
                 .window_period = 4,
                 .turns_local = true},
    Architecture{.name = "command-r", .doc = "Command R, Aya", .layer_norm = true, .parallel = always},
    Architecture{.name = "ernie4_5", .doc = "ERNIE 4.5 without experts"},
    Architecture{.name = "ernie4_5-moe", .doc = "ERNIE 4.5 with experts", .whole_shares = true},
    Architecture{.name = "exaone", .doc = "EXAONE 3", .rope = halves},
    Architecture{.name = "exaone4",
                 .doc = "EXAONE 4",
                 .rope = halves,
                 .default_window = 4096,
                 .window_period = 4,
                 .turns_local = true,
                 .windowed_layers = 64},
    Architecture{.name = "falcon", .doc = "Falcon", .rope = halves, .activation = gelu, .layer_norm = true, .parallel = always},
    Architecture{.name = "gemma", .doc = "Gemma", .rope = halves, .activation = gelu, .scaled_embedding = true},
    Architecture{.name = "gemma2",
                 .doc = "Gemma 2",
                 .rope = halves,
                 .activation = gelu,
                 .scaled_embedding = true,
                 .default_window = 4096,
                 .window_period = 2,
                 .own_local_base = true,
                 .wide_layers = 46,
                 .attention_softcap = 50,
                 .logit_softcap = 30},
    Architecture{.name = "gemma3",
                 .doc = "Gemma 3",
                 .rope = halves,
                 .activation = gelu,
                 .scaled_embedding = true,
                 .window_period = 6,
                 .unscaled_local = true,
                 .own_local_base = true,
                 .local_base = 10000,
                 .wide_layers = 62},
    Architecture{.name = "glm4", .doc = "GLM 4"},
    Architecture{.name = "gpt2", .doc = "GPT-2", .rope = none, .activation = gelu, .layer_norm = true},
    Architecture{.name = "gptneox", .doc = "GPT-NeoX, Pythia", .rope = halves, .activation = gelu, .layer_norm = true, .parallel = as_said},
    Architecture{.name = "granite", .doc = "Granite 3", .divides_logits = true, .whole_shares = true},
    Architecture{.name = "granitemoe", .doc = "Granite 3 with experts", .divides_logits = true, .whole_shares = true},
    Architecture{.name = "hunyuan-dense", .doc = "Hunyuan without experts", .rope = halves, .turned_then_normed = true},
    Architecture{.name = "internlm2", .doc = "InternLM 2 and 3"},
    Architecture{.name = "jais2", .doc = "Jais 2", .rope = halves, .activation = relu_squared, .layer_norm = true},
    Architecture{.name = "llama", .doc = "Llama 1 to 3, Mistral, Mixtral, SmolLM, TinyLlama", .whole_shares = true},
    Architecture{.name = "maincoder", .doc = "Maincoder", .turned_then_normed = true},
    Architecture{.name = "minicpm",
                 .doc = "MiniCPM 1 and 2",
                 .divides_logits = true,
                 .whole_shares = true,
                 .embedding_scale = 12,
                 .residual_scale = 1.4,
                 .logit_width = 256},
    Architecture{.name = "mistral3", .doc = "Mistral 3, Ministral 3", .whole_shares = true},
    Architecture{.name = "nemotron", .doc = "Nemotron, Minitron", .rope = halves, .activation = relu_squared, .layer_norm = true},
    Architecture{.name = "olmo", .doc = "OLMo", .layer_norm = true, .bare_norms = true},
    Architecture{.name = "olmo2", .doc = "OLMo 2 and 3", .rope = halves, .window_period = 4, .unscaled_local = true},
    Architecture{.name = "olmoe", .doc = "OLMoE", .rope = halves},
    Architecture{.name = "orion", .doc = "Orion", .rope = halves, .layer_norm = true},
    Architecture{.name = "phi2", .doc = "Phi 1.5 and 2", .rope = halves, .activation = gelu, .layer_norm = true, .parallel = always},
    Architecture{.name = "phi3", .doc = "Phi 3 and 4", .rope = halves},
    Architecture{.name = "plamo", .doc = "PLaMo", .rope = halves, .parallel = always},
    Architecture{.name = "qwen", .doc = "Qwen 1", .rope = halves, .doubled_mlp = true},
    Architecture{.name = "qwen2", .doc = "Qwen 2 and 2.5", .rope = halves},
    Architecture{.name = "qwen2moe", .doc = "Qwen 1.5 and 2 with experts", .rope = halves},
    Architecture{.name = "qwen3", .doc = "Qwen 3", .rope = halves},
    Architecture{.name = "qwen3moe", .doc = "Qwen 3 with experts", .rope = halves, .whole_shares = true},
    Architecture{.name = "seed_oss", .doc = "Seed-OSS", .rope = halves, .norm_behind_attention = true},
    Architecture{.name = "smollm3", .doc = "SmolLM 3", .unturned_period = 4},
    Architecture{.name = "stablelm", .doc = "StableLM 1 and 2", .rope = halves, .layer_norm = true, .parallel = by_tensors},
    Architecture{.name = "starcoder", .doc = "StarCoder", .rope = none, .activation = gelu, .layer_norm = true},
    Architecture{.name = "starcoder2", .doc = "StarCoder 2", .rope = halves, .activation = gelu, .layer_norm = true},
    Architecture{.name = "xverse", .doc = "XVERSE"},
};
static_assert(std::ranges::is_sorted(architectures_table, {}, &Architecture::name));

}  // namespace

std::span<const Architecture> architectures() { return architectures_table; }

const Architecture& architecture_named(std::string_view name) {
    std::vector<std::string> names;
    for (const Architecture& row : architectures_table) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    throw unsupported("architecture \"{}\" is not known", escape(name))
        .with_hint(fmt::format("known: {}; quern model-info shows what is in the file", join(names, ", ")));
}

}  // namespace quern::gguf
