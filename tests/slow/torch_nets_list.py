"""Nets of torchvision, timm and transformers in their own sizes, with random weights (language models in small ones), for tests/slow/torch_nets.

They are registered beside the small ones of tests/models/exports/make_torch.py, whose `prepared` makes any of them. CONVOLUTIONAL are those
of which an NPU runs everything."""
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "exports"))
import make_torch  # noqa: E402
from make_torch import First, hugging, image  # noqa: E402

# Net, side of its picture.
TORCHVISION = {
    "resnet18": 224, "mobilenet_v2": 224, "mobilenet_v3_small": 224, "efficientnet_b0": 224, "densenet121": 224, "shufflenet_v2_x1_0": 224,
    "squeezenet1_1": 224, "regnet_y_400mf": 224, "mnasnet1_0": 224, "convnext_tiny": 224, "vit_b_16": 224, "swin_t": 224, "inception_v3": 299,
    "googlenet": 224, "alexnet": 224, "vgg11_bn": 224, "maxvit_t": 224,
}
SEGMENTATION = {"fcn_resnet50": 128, "deeplabv3_mobilenet_v3_large": 128, "lraspp_mobilenet_v3_large": 128}
TIMM = {
    "ghostnet_100": 224, "mobilevit_xxs": 256, "xcit_nano_12_p16_224": 224, "edgenext_xx_small": 256, "repvgg_a0": 224, "efficientnet_lite0": 224,
    "levit_128s": 224, "poolformer_s12": 224, "mixer_s32_224": 224, "hrnet_w18_small": 224, "fastvit_t8": 256, "mobilenetv4_conv_small": 224,
    "deit_tiny_patch16_224": 224, "pit_ti_224": 224, "tinynet_e": 106, "res2net50_14w_8s": 128, "coat_lite_tiny": 224, "resnest14d": 128,
}
CONVOLUTIONAL = ("resnet18", "mobilenet_v2", "mobilenet_v3_small", "efficientnet_b0", "squeezenet1_1", "mnasnet1_0", "vgg11_bn", "regnet_y_400mf",
                 "repvgg_a0", "efficientnet_lite0", "tinynet_e", "mobilenetv4_conv_small", "ghostnet_100", "shufflenet_v2_x1_0",
                 "densenet121", "googlenet", "inception_v3", "hrnet_w18_small")
SMALL = dict(vocab_size=120, hidden_size=48, num_hidden_layers=3, num_attention_heads=4, intermediate_size=96)
TOKENS = {0: "batch", 1: "tokens"}


def words(count, batch=1):
    return torch.randint(3, 120, (batch, count))


class Outputs(torch.nn.Module):
    """Segmentation: the one result "out" of a dictionary."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)["out"]


def torchvision_net(name, side):
    from torchvision import models
    extra = {"init_weights": False} if name in ("inception_v3", "googlenet") else {}
    return models.get_model(name, weights=None, **extra), (image(side),), ["x"], {}


def segmentation_net(name, side):
    from torchvision import models
    return Outputs(models.get_model(name, weights=None, weights_backbone=None)), (image(side),), ["x"], {}


def timm_net(name, side):
    import timm
    return timm.create_model(name, pretrained=False), (image(side),), ["x"], {}


def register(name, make, *arguments):
    make_torch.NETS[name] = lambda: make(*arguments)


for make, table in ((torchvision_net, TORCHVISION), (segmentation_net, SEGMENTATION), (timm_net, TIMM)):
    for name, side in table.items():
        register(name, make, name, side)


def language(name):
    """A net of transformers by its name here, its tokens of any count where the net allows it."""
    import transformers as t
    mask = {"input_ids": words(11), "attention_mask": torch.ones(1, 11, dtype=torch.long)}
    causal = {"input_ids": words(11)}
    pairs = dict(num_key_value_heads=2, max_position_embeddings=64, **SMALL)
    if name == "bert":
        return hugging(t.BertForTokenClassification(t.BertConfig(max_position_embeddings=64, **SMALL)), mask, TOKENS)
    if name == "distilbert":
        return hugging(t.DistilBertModel(t.DistilBertConfig(vocab_size=120, dim=48, n_layers=3, n_heads=4, hidden_dim=96)), mask, TOKENS)
    if name == "roberta":
        return hugging(t.RobertaModel(t.RobertaConfig(max_position_embeddings=64, **SMALL)), mask, TOKENS)
    if name == "albert":
        return hugging(t.AlbertModel(t.AlbertConfig(embedding_size=24, max_position_embeddings=64, **SMALL)), mask, TOKENS)
    if name == "gpt2":
        return hugging(t.GPT2LMHeadModel(t.GPT2Config(vocab_size=120, n_embd=48, n_layer=3, n_head=4, n_positions=64)), causal, TOKENS)
    if name == "llama":
        return hugging(t.LlamaForCausalLM(t.LlamaConfig(**pairs)), causal, TOKENS)
    if name == "qwen2":
        return hugging(t.Qwen2ForCausalLM(t.Qwen2Config(**pairs)), causal, TOKENS)
    if name == "qwen3":
        return hugging(t.Qwen3ForCausalLM(t.Qwen3Config(head_dim=12, **pairs)), causal)
    if name == "gemma2":
        return hugging(t.Gemma2ForCausalLM(t.Gemma2Config(head_dim=12, sliding_window=8, **pairs)), causal)
    if name == "phi3":
        return hugging(t.Phi3ForCausalLM(t.Phi3Config(pad_token_id=0, **pairs)), causal)
    if name == "opt":
        config = t.OPTConfig(vocab_size=120, hidden_size=48, num_hidden_layers=3, ffn_dim=96, num_attention_heads=4, max_position_embeddings=64,
                             word_embed_proj_dim=48)
        return hugging(t.OPTForCausalLM(config), mask)
    if name == "t5":
        config = t.T5Config(vocab_size=120, d_model=64, num_layers=2, num_heads=4, d_kv=16, d_ff=96, feed_forward_proj="gated-gelu",
                            attn_implementation="eager")
        return hugging(t.T5ForConditionalGeneration(config), {"input_ids": words(12), "decoder_input_ids": words(6)})
    if name == "whisper_encoder":
        from transformers.models.whisper.modeling_whisper import WhisperEncoder
        config = t.WhisperConfig(d_model=48, encoder_layers=3, encoder_attention_heads=4, encoder_ffn_dim=96, num_mel_bins=80, max_source_positions=200)
        return First(WhisperEncoder(config), ["input_features"]), (torch.randn(1, 80, 400),), ["input_features"], {}
    if name == "wav2vec2":
        config = t.Wav2Vec2Config(vocab_size=32, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, conv_dim=(32,) * 7,
                                  num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)
        return hugging(t.Wav2Vec2Model(config), {"input_values": torch.randn(1, 4000)})
    if name == "clip_vision":
        config = t.CLIPVisionConfig(hidden_size=48, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4, image_size=64, patch_size=16)
        return hugging(t.CLIPVisionModel(config), {"pixel_values": image(64)})
    config = t.SegformerConfig(depths=[1, 1, 1, 1], decoder_hidden_size=64)
    return hugging(t.SegformerForSemanticSegmentation(config), {"pixel_values": image(128)})


LANGUAGE = ("bert", "distilbert", "roberta", "albert", "gpt2", "llama", "qwen2", "qwen3", "gemma2", "phi3", "opt", "t5", "whisper_encoder", "wav2vec2",
            "clip_vision", "segformer")
for name in LANGUAGE:
    register(name, language, name)
NETS = [*TORCHVISION, *SEGMENTATION, *TIMM, *LANGUAGE]
