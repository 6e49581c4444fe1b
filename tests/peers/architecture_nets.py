"""Small random language models as GGUF, one or more for each architecture that quern knows: what architectures.py compares.

A net is its architecture and what it has of everything; `net` has the usual sizes."""
import dataclasses
import zlib

import gguf
import numpy as np

CONTEXT = 256


@dataclasses.dataclass
class Net:
    name: str
    arch: str
    keys: dict = dataclasses.field(default_factory=dict)  # metadata beside the usual, without the architecture's name
    layers: int = 2
    width: int = 64
    heads: int = 4
    kv: int = 2
    size: int = 16  # of a head
    inner: int = 96
    vocabulary: int = 64
    layer_norm: bool = False  # has its own key for epsilon
    norms: str = "attn_norm ffn_norm"  # of each layer
    norm_biases: bool = False
    joined: bool = False  # Q, K and V are one tensor
    biases: str = ""  # the tensors that have one
    head_norms: str = ""  # "each": a weight for every head alike, "all": one over them together, "own": one for each head
    mlp: str = "gated"  # or "plain", "joined": gates and the rest are one tensor; "experts"
    experts: int = 4
    expert_inner: int = 32
    shared_inner: int = 0  # of the shared expert
    shared_gate: bool = False
    expert_biases: bool = False  # of the choice
    dense: int = 0  # layers that come first, without experts
    shares: int = 1  # of feed_forward_length in an MLP
    tied: bool = False
    final_norm: bool = True
    positions: bool = False  # learned
    tensors: dict = dataclasses.field(default_factory=dict)  # more of them, as they are

    def layer(self, i):
        """Names and shapes, inner dim last, of a layer's tensors."""
        q, kv, width, inner = self.heads * self.size, self.kv * self.size, self.width, self.inner // self.shares
        linear = {"attn_qkv": (q + 2 * kv, width)} if self.joined else {"attn_q": (q, width), "attn_k": (kv, width), "attn_v": (kv, width)}
        linear["attn_output"] = (width, q)
        mlp = "gated" if i < self.dense else self.mlp
        if mlp == "experts":
            e, own, shared = self.experts, self.expert_inner, self.shared_inner
            linear |= {"ffn_gate_inp": (e, width), "ffn_gate_exps": (e, own, width), "ffn_up_exps": (e, own, width), "ffn_down_exps": (e, width, own)}
            if shared:
                linear |= {"ffn_gate_shexp": (shared, width), "ffn_up_shexp": (shared, width), "ffn_down_shexp": (width, shared)}
            if self.shared_gate:
                linear["ffn_gate_inp_shexp"] = (width,)
        else:
            linear |= {"ffn_gate": (inner, width)} if mlp == "gated" else {}
            linear |= {"ffn_up": (2 * inner if mlp == "joined" else inner, width), "ffn_down": (width, inner)}
        norms = {name: (width,) for name in self.norms.split()}
        heads = {"": lambda n: None, "each": lambda n: (self.size,), "all": lambda n: (n * self.size,), "own": lambda n: (n, self.size)}[self.head_norms]
        if self.head_norms:
            norms |= {"attn_q_norm": heads(self.heads), "attn_k_norm": heads(self.kv)}
        for name, shape in (linear | norms).items():
            yield f"blk.{i}.{name}.weight", shape
            if name in self.biases.split() or (self.norm_biases and name in self.norms.split()):
                yield f"blk.{i}.{name}.bias", shape[:1]
        if mlp == "experts" and self.expert_biases:
            yield f"blk.{i}.exp_probs_b.bias", (self.experts,)

    def shapes(self):
        yield "token_embd.weight", (self.vocabulary, self.width)
        if self.positions:
            yield "position_embd.weight", (CONTEXT, self.width)
        for i in range(self.layers):
            yield from self.layer(i)
        if self.final_norm:
            yield "output_norm.weight", (self.width,)
            if self.norm_biases:
                yield "output_norm.bias", (self.width,)
        if not self.tied:
            yield "output.weight", (self.vocabulary, self.width)
            if "output" in self.biases.split():
                yield "output.bias", (self.vocabulary,)

    def metadata(self):
        epsilon = "attention.layer_norm_epsilon" if self.layer_norm else "attention.layer_norm_rms_epsilon"
        usual = {"context_length": CONTEXT, "embedding_length": self.width, "block_count": self.layers, "feed_forward_length": self.inner,
                 "attention.head_count": self.heads, "attention.head_count_kv": self.kv, epsilon: 1e-5, "vocab_size": self.vocabulary,
                 "rope.dimension_count": self.size}
        if self.size * self.heads != self.width:
            usual |= {"attention.key_length": self.size, "attention.value_length": self.size}
        if self.mlp == "experts":
            usual |= {"expert_count": self.experts, "expert_used_count": 2}
        return usual | self.keys


def net(name, arch, keys=None, **how):
    return Net(name, arch, keys or {}, **how)


def numbers(random, name, shape):
    if name.endswith(".bias"):
        return 0.2 * random.standard_normal(shape)
    if "norm" in name:
        return 1 + 0.3 * random.standard_normal(shape)
    gain = 2 if any(part in name for part in ("attn_q.", "attn_k.", "attn_qkv.", "ffn_gate_inp")) else 1
    return gain * random.standard_normal(shape) * (0.3 if "embd" in name else shape[-1] ** -0.5)


def write(model, path):
    random = np.random.default_rng(zlib.crc32(model.name.encode()))
    writer = gguf.GGUFWriter(path, model.arch)
    writer.add_string("tokenizer.ggml.model", "none")
    for key, value in model.metadata().items():
        key = f"{model.arch}.{key}"
        if isinstance(value, bool):
            writer.add_bool(key, value)
        elif isinstance(value, int):
            writer.add_uint32(key, value)
        elif isinstance(value, float):
            writer.add_float32(key, value)
        elif isinstance(value, str):
            writer.add_string(key, value)
        else:
            writer.add_array(key, value)
    for name, shape in model.shapes():
        writer.add_tensor(name, numbers(random, name, shape).astype(np.float32))
    for name, array in model.tensors.items():
        writer.add_tensor(name, np.asarray(array, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


QKV = "attn_q attn_k attn_v"
POST = "attn_norm post_attention_norm ffn_norm post_ffw_norm"
DIVISORS = np.linspace(1, 6, 8)
LONG = {"rope_factors_short.weight": np.linspace(1, 1.5, 8), "rope_factors_long.weight": np.linspace(1.2, 8, 8)}
WINDOW = {"attention.sliding_window": 4}
PLAIN = {"layer_norm": True, "norm_biases": True, "mlp": "plain"}  # as before Llama

EXPERTS = {"mlp": "experts"}

REFUSED = {  # by the key that asks for what is not built
    "expert_weights_scale": net("scaled-shares", "qwen3moe", {"expert_weights_scale": 2.5}, **EXPERTS),
    "expert_gating_func": net("other-router", "llama", {"expert_gating_func": 2}, **EXPERTS),
    "expert_group_count": net("groups", "llama", {"expert_group_count": 2}, **EXPERTS),
    "attention.max_alibi_bias": net("alibi", "llama", {"attention.max_alibi_bias": 8.0}),
    "attention.temperature_scale": net("temperature", "mistral3", {"attention.temperature_scale": 0.1}),
    "rope.scaling.alpha": net("stretched", "hunyuan-dense", {"rope.scaling.alpha": 1000.0}, head_norms="each"),
    "rope.dimension_sections": net("sections", "glm4", {"rope.dimension_sections": [4, 2, 2, 0]}, norms=POST, mlp="joined"),
    "attention.clamp_kqv": net("clamped", "olmo", {"attention.clamp_kqv": 8.0}, layer_norm=True, norms="", final_norm=False),
}

NETS = [
    net("arcee", "arcee", mlp="plain"),
    net("chatglm", "chatglm", {"rope.dimension_count": 8}, joined=True, biases="attn_qkv", mlp="joined"),
    net("codeshell", "codeshell", **PLAIN, joined=True, biases="attn_qkv attn_output ffn_up ffn_down"),
    net("cohere2", "cohere2", WINDOW | {"logit_scale": 0.25}, layer_norm=True, norms="attn_norm", tied=True, layers=4),
    net("cohere2-bases", "cohere2", WINDOW | {"logit_scale": 0.25, "rope.freq_base_swa": 500.0, "rope.scaling.type": "linear", "rope.scaling.factor": 2.0},
        layer_norm=True, norms="attn_norm", tied=True, layers=4),
    net("command-r", "command-r", {"logit_scale": 0.0625}, layer_norm=True, norms="attn_norm", tied=True),
    net("ernie4_5", "ernie4_5", tied=True),
    net("ernie4_5-moe", "ernie4_5-moe", {"interleave_moe_layer_step": 1, "expert_feed_forward_length": 32, "expert_shared_feed_forward_length": 64},
        **EXPERTS, shared_inner=64),
    net("ernie4_5-moe-biases", "ernie4_5-moe", {"interleave_moe_layer_step": 1, "expert_feed_forward_length": 32, "leading_dense_block_count": 1},
        **EXPERTS, expert_biases=True, dense=1, layers=3),
    net("exaone4", "exaone4", WINDOW, norms="post_attention_norm post_ffw_norm", head_norms="each"),
    net("exaone4-windows", "exaone4", WINDOW, norms="post_attention_norm post_ffw_norm", head_norms="each", layers=64, width=32, heads=2, kv=1, inner=32),
    net("exaone", "exaone", tensors={"rope_freqs.weight": DIVISORS}),
    net("falcon", "falcon", **PLAIN, joined=True, kv=1, norms="attn_norm", tied=True),
    net("falcon-2norms", "falcon", **PLAIN, joined=True, norms="attn_norm attn_norm_2"),
    net("gemma", "gemma", kv=1, size=32, tied=True),
    net("gemma2", "gemma2", WINDOW | {"attn_logit_softcapping": 20.0, "final_logit_softcapping": 3.0}, norms=POST, tied=True, layers=3),
    net("gemma2-usual", "gemma2", {"rope.freq_base_swa": 500.0}, norms=POST, tied=True),
    net("gemma3", "gemma3", WINDOW | {"rope.freq_base": 1e6, "rope.freq_base_swa": 5000.0, "rope.scaling.type": "linear", "rope.scaling.factor": 4.0},
        norms=POST, head_norms="each", tied=True, layers=6),
    net("gemma3-listed", "gemma3", WINDOW | {"attention.sliding_window_pattern": [False, True, True]}, norms=POST, head_norms="each", layers=3),
    net("glm4", "glm4", {"rope.dimension_count": 8}, norms=POST, biases=QKV, mlp="joined"),
    net("gpt2", "gpt2", **PLAIN, joined=True, kv=4, biases="attn_qkv attn_output ffn_up ffn_down", positions=True, tied=True),
    net("gptneox", "gptneox", {"use_parallel_residual": False, "rope.dimension_count": 4}, **PLAIN, joined=True, kv=4,
        biases="attn_qkv attn_output ffn_up ffn_down"),
    net("gptneox-parallel", "gptneox", {"use_parallel_residual": True}, **PLAIN, joined=True, kv=4, biases="attn_qkv attn_output ffn_up ffn_down"),
    net("granite", "granite", {"logit_scale": 4.0, "residual_scale": 0.5, "embedding_scale": 3.0, "attention.scale": 0.4}, tied=True),
    net("granite-experts", "granite", {"logit_scale": 4.0, "feed_forward_length": 32}, **EXPERTS),
    net("granitemoe", "granitemoe", {"logit_scale": 4.0, "residual_scale": 0.5, "expert_shared_feed_forward_length": 64, "feed_forward_length": 32},
        **EXPERTS, shared_inner=64),
    net("hunyuan-dense", "hunyuan-dense", head_norms="each", tied=True),
    net("internlm2", "internlm2"),
    net("jais2", "jais2", **PLAIN, biases=QKV + " attn_output ffn_up ffn_down"),
    net("llama", "llama"),
    net("llama-experts", "llama", {"feed_forward_length": 32}, **EXPERTS),
    net("llama-alone", "llama", kv=4, tied=True),
    net("llama-one", "llama", kv=1),
    net("llama-biases", "llama", biases=QKV + " attn_output ffn_gate ffn_up ffn_down"),
    net("llama-divisors", "llama", {"rope.freq_base": 500000.0}, tensors={"rope_freqs.weight": DIVISORS}),
    net("llama-linear", "llama", {"rope.scaling.type": "linear", "rope.scaling.factor": 2.5}),
    net("llama-old-linear", "llama", {"rope.scale_linear": 2.0}),
    net("llama-yarn", "llama", {"rope.scaling.type": "yarn", "rope.scaling.factor": 8.0, "rope.scaling.original_context_length": 32}),
    net("maincoder", "maincoder", head_norms="each"),
    net("minicpm", "minicpm", {"embedding_scale": 5.0, "residual_scale": 0.7, "logit_scale": 2.0}, tied=True),
    net("minicpm-usual", "minicpm"),
    net("mistral3", "mistral3", {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 64,
                                 "rope.scaling.yarn_beta_fast": 16.0, "rope.scaling.yarn_beta_slow": 2.0}, size=32),
    net("mistral3-experts", "mistral3", {"feed_forward_length": 32}, **EXPERTS),
    net("nemotron", "nemotron", {"rope.dimension_count": 8}, **PLAIN),
    net("olmo", "olmo", layer_norm=True, norms="", final_norm=False, tied=True),
    net("olmo2", "olmo2", norms="post_attention_norm post_ffw_norm", head_norms="all"),
    net("olmo2-windows", "olmo2", WINDOW | {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 64,
        "rope.freq_base": 50000.0, "rope.freq_base_swa": 500.0}, norms="post_attention_norm post_ffw_norm", head_norms="all", layers=4),
    net("olmoe", "olmoe", {"feed_forward_length": 32}, **EXPERTS, head_norms="all", kv=4),
    net("orion", "orion", layer_norm=True, norm_biases=True),
    net("phi2", "phi2", {"rope.dimension_count": 8}, **PLAIN, kv=4, biases=QKV + " attn_output ffn_up ffn_down output", norms="attn_norm"),
    net("phi2-joined", "phi2", **PLAIN, joined=True, kv=4, biases="attn_qkv attn_output ffn_up ffn_down output", norms="attn_norm"),
    net("phi3", "phi3", joined=True, mlp="joined"),
    net("phi3-long", "phi3", {"rope.scaling.type": "longrope", "rope.scaling.original_context_length": 64, "rope.scaling.attn_factor": 1.19},
        joined=True, mlp="joined", tensors=LONG),
    net("phi3-short", "phi3", {"rope.scaling.type": "longrope", "rope.scaling.original_context_length": CONTEXT}, joined=True, mlp="joined", tensors=LONG),
    net("phi3-part", "phi3", {"rope.dimension_count": 12}, joined=True, mlp="joined", tied=True),
    net("plamo", "plamo", norms="attn_norm"),
    net("qwen", "qwen", joined=True, kv=4, biases="attn_qkv", shares=2),
    net("qwen2", "qwen2", biases=QKV, tied=True),
    net("qwen2-head", "qwen2", {"rope.freq_base": 1e6}, biases=QKV + " output"),
    net("qwen2moe", "qwen2moe", {"expert_feed_forward_length": 32, "expert_shared_feed_forward_length": 64}, **EXPERTS, biases=QKV,
        shared_inner=64, shared_gate=True),
    net("qwen3", "qwen3", head_norms="each", size=32, tied=True),
    net("qwen3moe", "qwen3moe", {"expert_feed_forward_length": 32, "expert_weights_scale": 1.0}, **EXPERTS, head_norms="each", size=32, experts=8),
    net("seed_oss", "seed_oss", norms="attn_norm post_attention_norm", biases=QKV, size=32),
    net("smollm3", "smollm3", layers=4, tied=True),
    net("stablelm", "stablelm", {"rope.dimension_count": 4}, layer_norm=True, norm_biases=True, biases=QKV),
    net("stablelm-parallel", "stablelm", {"rope.dimension_count": 8}, layer_norm=True, norm_biases=True, norms="attn_norm", head_norms="own"),
    net("starcoder", "starcoder", **PLAIN, joined=True, kv=1, biases="attn_qkv attn_output ffn_up ffn_down", positions=True, tied=True),
    net("starcoder2", "starcoder2", **PLAIN, biases=QKV + " attn_output ffn_up ffn_down", tied=True),
    net("xverse", "xverse"),
]
