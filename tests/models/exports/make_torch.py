"""Makes tests/models/exports/torch: small nets of torchvision, timm, transformers and plain torch, with random weights, as torch.onnx exports them.

    make_torch.py FOLDER [NAME ...]      writes FOLDER/NAME.dynamo.onnx, NAME.script.onnx (the exporter by torch.export, the one by TorchScript) and
                                         NAME.npz: inputs by name, and outputs as torch computes them, "output_0" ...
    make_torch.py --list

Needs torch, torchvision, timm, transformers and onnxscript from PyPI in an environment of its own; what it made is committed, so nobody else does.
"""
import logging
import os
import sys
import time
import warnings

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
torch.set_num_threads(1)
NETS = {}


def net(function):
    """function() gives module, arguments, names of inputs and the symbolic dims of each input ({} or {name: {axis: symbol}})."""
    NETS[function.__name__] = function
    return function


def image(size, channels=3):
    return torch.randn(1, channels, size, size)


# ---- torchvision ------------------------------------------------------------------------------------------------------------

@net
def tv_resnet():
    from torchvision.models import resnet
    model = resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1], num_classes=10)

    def narrow(stage, inside, out, stride):
        down = nn.Sequential(nn.Conv2d(inside, out, 1, stride, bias=False), nn.BatchNorm2d(out)) if stride > 1 else None
        setattr(model, stage, nn.Sequential(resnet.BasicBlock(inside, out, stride, down)))
    model.conv1, model.bn1 = nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8)
    for i, (inside, out, stride) in enumerate([(8, 8, 1), (8, 12, 2), (12, 16, 2), (16, 20, 2)]):
        narrow(f"layer{i + 1}", inside, out, stride)
    model.fc = nn.Linear(20, 10)
    return model, (image(48),), ["x"], {"x": {0: "batch"}}


@net
def tv_densenet():
    from torchvision.models.densenet import DenseNet
    return DenseNet(growth_rate=4, block_config=(2, 2, 2), num_init_features=8, bn_size=2, num_classes=10), (image(32),), ["x"], {}


@net
def tv_mobilenet_v2():
    from torchvision.models import MobileNetV2
    setting = [[1, 8, 1, 1], [3, 8, 2, 2], [3, 16, 2, 2]]
    model = MobileNetV2(num_classes=10, inverted_residual_setting=setting, width_mult=1.0)
    model.features[-1] = nn.Sequential(nn.Conv2d(16, 32, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6())
    model.classifier = nn.Linear(32, 10)
    return model, (image(32),), ["x"], {}


@net
def tv_mobilenet_v3():
    from torchvision.models.mobilenetv3 import InvertedResidualConfig as C, MobileNetV3
    rows = [C(8, 3, 8, 8, True, "RE", 2, 1, 1.0), C(8, 3, 16, 8, False, "RE", 1, 1, 1.0), C(8, 5, 24, 16, True, "HS", 2, 1, 1.0)]
    return MobileNetV3(rows, last_channel=32, num_classes=10), (image(32),), ["x"], {}


@net
def tv_shufflenet():
    from torchvision.models import ShuffleNetV2
    return ShuffleNetV2([1, 1, 1], [8, 16, 24, 32, 40], num_classes=10), (image(64),), ["x"], {}


@net
def tv_efficientnet():
    from torchvision.models.efficientnet import EfficientNet, MBConvConfig as C
    rows = [C(1, 3, 1, 8, 8, 1, 1.0, 1.0), C(3, 5, 2, 8, 16, 2, 1.0, 1.0)]
    return EfficientNet(rows, dropout=0.1, last_channel=32, num_classes=10), (image(32),), ["x"], {}


@net
def tv_vit():
    from torchvision.models import VisionTransformer
    return VisionTransformer(32, 8, 2, 2, 16, 32, num_classes=10), (image(32),), ["x"], {}


@net
def tv_swin():
    from torchvision.models import SwinTransformer
    return SwinTransformer([4, 4], 8, [2, 2], [2, 2], [4, 4], num_classes=10), (image(32),), ["x"], {}


@net
def tv_convnext():
    from torchvision.models.convnext import CNBlockConfig as C, ConvNeXt
    return ConvNeXt([C(8, 16, 1), C(16, None, 1)], num_classes=10), (image(32),), ["x"], {}


@net
def tv_detection():
    """Boxes by non-maximum suppression: shapes that depend on data."""
    from torchvision.ops import nms

    class Boxes(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.where, self.what = nn.Conv2d(3, 8, 3, 4, 1), nn.Conv2d(8, 4, 1), nn.Conv2d(8, 1, 1)

        def forward(self, x):
            y = F.relu(self.body(x))
            at = self.where(y).permute(0, 2, 3, 1).reshape(-1, 4).sigmoid() * 32
            boxes = torch.cat([at[:, :2], at[:, :2] + at[:, 2:]], 1)
            scores = self.what(y).flatten().sigmoid()
            kept = nms(boxes, scores, 0.5)
            return boxes[kept], scores[kept]
    return Boxes(), (image(32),), ["x"], {}


# ---- timm -------------------------------------------------------------------------------------------------------------------

@net
def timm_ghostnet():
    from timm.models.ghostnet import GhostNet
    rows = [[[3, 16, 16, 0, 1]], [[3, 48, 24, 0, 2]], [[5, 72, 40, 0.25, 2]]]
    model = GhostNet(rows, num_classes=10, width=0.4)
    model.conv_head, model.classifier = nn.Conv2d(model.conv_head.in_channels, 32, 1), nn.Linear(32, 10)
    return model, (image(32),), ["x"], {}


@net
def timm_poolformer():
    from timm.models.metaformer import MetaFormer, Pooling
    return MetaFormer(depths=(1, 1, 1, 1), dims=(8, 12, 16, 20), token_mixers=Pooling, num_classes=10), (image(64),), ["x"], {}


@net
def high_resolution():
    """Branches of two resolutions that are summed, as in HRNet."""
    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            def block(i, o, s=1):
                return nn.Sequential(nn.Conv2d(i, o, 3, s, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU())
            self.stem, self.fine, self.coarse = block(3, 8, 2), block(8, 8), block(8, 16, 2)
            self.up = nn.Sequential(nn.Conv2d(16, 8, 1, bias=False), nn.BatchNorm2d(8), nn.Upsample(scale_factor=2, mode="nearest"))
            self.down = nn.Sequential(nn.Conv2d(8, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16))
            self.head = nn.Linear(24, 10)

        def forward(self, x):
            x = self.stem(x)
            a, b = self.fine(x), self.coarse(x)
            a, b = F.relu(a + self.up(b)), F.relu(b + self.down(a))
            return self.head(torch.cat([a.mean((2, 3)), b.mean((2, 3))], 1))
    return Branches(), (image(32),), ["x"], {}


# ---- transformers -----------------------------------------------------------------------------------------------------------

class First(nn.Module):
    """The first result of a model of transformers, its inputs by name."""

    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *values):
        out = self.model(**dict(zip(self.names, values)), return_dict=True)
        return out.logits if hasattr(out, "logits") else out[0]


SIZES = dict(vocab_size=40, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32)
TOKENS = {0: "batch", 1: "tokens"}


def tokens(count, batch=1):
    return torch.randint(3, 40, (batch, count))


def hugging(model, inputs, dims=None):
    model.config.use_cache = False
    names = list(inputs)
    return First(model, names), tuple(inputs.values()), names, {name: dims for name in names} if dims else {}


@net
def hf_bert():
    import transformers as t
    model = t.BertForSequenceClassification(t.BertConfig(max_position_embeddings=32, num_labels=3, **SIZES))
    return hugging(model, {"input_ids": tokens(9), "attention_mask": torch.ones(1, 9, dtype=torch.long)}, TOKENS)


@net
def hf_gpt2():
    import transformers as t
    return hugging(t.GPT2LMHeadModel(t.GPT2Config(vocab_size=40, n_embd=16, n_layer=2, n_head=2, n_positions=32)), {"input_ids": tokens(9)}, TOKENS)


@net
def hf_llama():
    import transformers as t
    config = t.LlamaConfig(num_key_value_heads=1, max_position_embeddings=32, **SIZES)
    return hugging(t.LlamaForCausalLM(config), {"input_ids": tokens(9)}, TOKENS)


@net
def hf_t5():
    import transformers as t
    config = t.T5Config(vocab_size=40, d_model=16, num_layers=2, num_heads=2, d_kv=8, d_ff=32)
    return hugging(t.T5ForConditionalGeneration(config), {"input_ids": tokens(12), "decoder_input_ids": tokens(6)})


@net
def hf_deberta():
    import transformers as t
    config = t.DebertaV2Config(max_position_embeddings=32, relative_attention=True, pos_att_type=["p2c", "c2p"], **SIZES)
    return hugging(t.DebertaV2Model(config), {"input_ids": tokens(9), "attention_mask": torch.ones(1, 9, dtype=torch.long)})


@net
def hf_whisper():
    import transformers as t
    config = t.WhisperConfig(vocab_size=40, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
                             encoder_ffn_dim=32, decoder_ffn_dim=32, num_mel_bins=8, max_source_positions=16, max_target_positions=16, pad_token_id=0,
                             bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    return hugging(t.WhisperModel(config), {"input_features": torch.randn(1, 8, 32), "decoder_input_ids": tokens(6)})


@net
def hf_segformer():
    import transformers as t
    config = t.SegformerConfig(depths=[1, 1, 1, 1], hidden_sizes=[8, 8, 16, 16], num_attention_heads=[1, 1, 2, 2], sr_ratios=[4, 2, 2, 1],
                               mlp_ratios=[2, 2, 2, 2], decoder_hidden_size=16)
    return hugging(t.SegformerForSemanticSegmentation(config), {"pixel_values": image(64)})


@net
def hf_swin():
    import transformers as t
    config = t.SwinConfig(image_size=32, patch_size=4, embed_dim=8, depths=[2, 2], num_heads=[2, 2], window_size=4)
    return hugging(t.SwinModel(config), {"pixel_values": image(32)})


@net
def hf_clip_text():
    import transformers as t
    config = t.CLIPTextConfig(max_position_embeddings=16, projection_dim=8, eos_token_id=39, **SIZES)
    return hugging(t.CLIPTextModelWithProjection(config), {"input_ids": tokens(9)})


# ---- plain torch -------------------------------------------------------------------------------------------------------------

@net
def linear3():
    """Products of rank 3 with a bias."""
    return nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 4)), (torch.randn(2, 5, 8),), ["x"], {}


@net
def attention_step():
    """A step of a decoder with its cache as inputs and outputs."""
    class Step(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.product, self.out = nn.Embedding(40, 16), nn.Linear(16, 48), nn.Linear(16, 40)

        def forward(self, token, k, v):
            x = self.embed(token)
            def heads(t):
                return t.view(1, -1, 2, 8).transpose(1, 2)
            q, more_k, more_v = self.product(x).chunk(3, -1)
            k, v = torch.cat([k, heads(more_k)], 2), torch.cat([v, heads(more_v)], 2)
            y = F.scaled_dot_product_attention(heads(q), k, v).transpose(1, 2).reshape(1, -1, 16)
            return self.out(x + y), k, v
    past = {2: "past"}
    return Step(), (tokens(1), torch.randn(1, 2, 5, 8), torch.randn(1, 2, 5, 8)), ["token", "k", "v"], {"k": past, "v": past}


@net
def lstm():
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.cells, self.head = nn.LSTM(10, 12, 2, batch_first=True, bidirectional=True), nn.Linear(24, 5)

        def forward(self, x):
            return self.head(self.cells(x)[0])
    return Recurrent(), (torch.randn(2, 7, 10),), ["x"], {}


@net
def gru():
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.cells, self.head = nn.GRU(10, 12, 1, batch_first=True), nn.Linear(12, 5)

        def forward(self, x):
            return self.head(self.cells(x)[0][:, -1])
    return Recurrent(), (torch.randn(2, 7, 10),), ["x"], {}


@net
def unet():
    class Block(nn.Sequential):
        def __init__(self, inside, out):
            super().__init__(nn.Conv2d(inside, out, 3, padding=1), nn.GroupNorm(2, out), nn.SiLU())

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c, self.d, self.e = Block(3, 4), Block(4, 8), Block(8, 16), Block(16, 8), Block(12, 4)
            self.up, self.up2 = nn.ConvTranspose2d(16, 8, 2, 2), nn.Upsample(scale_factor=2, mode="bilinear")
            self.out, self.time = nn.Conv2d(4, 1, 1), nn.Linear(8, 16)

        def forward(self, x, t):
            a = self.a(x)
            b = self.b(F.max_pool2d(a, 2))
            c = self.c(F.avg_pool2d(b, 2)) + self.time(torch.cat([t.sin(), t.cos()], -1))[:, :, None, None]
            d = self.d(torch.cat([self.up(c), b], 1))
            return self.out(self.e(torch.cat([self.up2(d), a], 1)))
    return Net(), (image(16), torch.randn(1, 4)), ["x", "t"], {}


@net
def grid():
    class Sampled(nn.Module):
        def __init__(self):
            super().__init__()
            self.data, self.flow = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 2, 3, padding=1)

        def forward(self, x):
            y = self.data(x)
            y = F.grid_sample(y, torch.tanh(self.flow(y)).permute(0, 2, 3, 1), align_corners=False)
            return F.interpolate(y, scale_factor=2, mode="bicubic", align_corners=False)
    return Sampled(), (image(12),), ["x"], {}


@net
def loop():
    """A loop whose number of turns is an input; the TorchScript exporter alone knows it."""
    class Turns(nn.Module):
        def __init__(self):
            super().__init__()
            self.product = nn.Linear(8, 8)

        def forward(self, x, n: int):
            for _ in range(n):
                x = torch.tanh(self.product(x))
            return x
    return torch.jit.script(Turns()), (torch.randn(2, 8), 3), ["x", "n"], {}


# ---- export -----------------------------------------------------------------------------------------------------------------

def prepared(name):
    torch.manual_seed(0)
    model, arguments, names, dims = NETS[name]()
    model.eval()
    for module in model.modules():
        if isinstance(module, (nn.BatchNorm2d, nn.BatchNorm1d)):  # as after training
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
            module.weight.data.uniform_(0.5, 1.5)
    return model, arguments, names, dims


def export(name, exporter, path):
    model, arguments, names, dims = prepared(name)
    if exporter == "script":
        torch.onnx.export(model, arguments, path, dynamo=False, opset_version=17, input_names=names, dynamic_axes=dims)
        return
    shapes = tuple({axis: torch.export.Dim.AUTO for axis in dims.get(n, {})} for n in names) if dims else None
    if shapes and isinstance(model, First):
        shapes = (shapes,)
    torch.onnx.export(model, arguments, path, dynamo=True, external_data=False, verbose=False, input_names=names, dynamic_shapes=shapes)


def golden(name, path):
    model, arguments, names, _ = prepared(name)
    with torch.no_grad():
        outputs = model(*arguments)
    outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    arrays = {n: np.asarray(a) for n, a in zip(names, arguments)}
    arrays |= {f"output_{i}": np.asarray(o) for i, o in enumerate(outputs)}
    np.savez_compressed(path, **arrays)


def strip_texts(path):
    """Stack traces and doc strings are most of a small file."""
    import onnx
    model = onnx.load(path)
    for graph in [model.graph, *model.functions]:
        for node in graph.node:
            node.doc_string = ""
            del node.metadata_props[:]
        if hasattr(graph, "value_info"):
            del graph.value_info[:]
        del graph.metadata_props[:]
    for value in [*model.graph.input, *model.graph.output]:
        del value.metadata_props[:]
    onnx.save(model, path)


def main():
    if sys.argv[1] == "--list":
        print("\n".join(NETS))
        return
    folder, wanted = sys.argv[1], sys.argv[2:] or list(NETS)
    os.makedirs(folder, exist_ok=True)
    for name in wanted:
        golden(name, f"{folder}/{name}.npz")  # fails if the net does
        for exporter in ("script", "dynamo"):
            path, start = f"{folder}/{name}.{exporter}.onnx", time.time()
            try:
                export(name, exporter, path)
                strip_texts(path)
                print(f"{name} {exporter}: {os.path.getsize(path)} bytes, {time.time() - start:.1f} s", flush=True)
            except Exception as error:  # an exporter's own limits
                if os.path.exists(path):
                    os.remove(path)
                print(f"{name} {exporter}: not exported: {type(error).__name__}: {str(error).splitlines()[0][:150] if str(error) else ''}", flush=True)


if __name__ == "__main__":
    main()
