"""Nets of torchvision, timm and transformers by name, with random weights, as torch.onnx exports them, for tests/slow/drawn_nets.

    drawn_nets_make.py --names      all names ("timm:resnet18") but those that other suites have
    drawn_nets_make.py              for each line "NAME<tab>PATH" PATH.onnx and PATH.npz, its inputs "0" ... in their order, as drawn_nets_serve.py has it

Pictures have side SIDE where the net takes it, else the net's own. Nets of transformers are of their type's configuration with few layers and a
width divided by the first of NARROWER that makes a net which runs. No net has more than MOST parameters.
"""
import inspect
import itertools
import re
import sys

import numpy as np
import torch

from drawn_nets_serve import serve
from torch_nets_list import LANGUAGE, SEGMENTATION, TIMM, TORCHVISION
from torch_nets_make import vary

SIDE = 64
MOST = 12_000_000
NARROWER = (8, 4, 2, 1)
# Nets of tests/models/exports and of the programs that measure beside the repository, where torch_nets_list has them not.
OTHERS = {
    "torchvision": "resnet18 mobilenet_v2 mobilenet_v3_small shufflenet_v2_x0_5 squeezenet1_1 efficientnet_b0 regnet_y_400mf densenet121 mnasnet0_5 vit_b_32 swin_t "
                   "convnext_tiny lraspp_mobilenet_v3_large ssdlite320_mobilenet_v3_large fasterrcnn_mobilenet_v3_large_320_fpn",
    "timm": "efficientnet_lite0 ghostnet_100 mobilevit_xxs poolformer_s12 repvgg_a0 efficientformer_l1 mobilenetv4_conv_small deit_tiny_patch16_224 mixer_s32_224 "
            "res2net50_26w_4s hrnet_w18_small",
    "transformers": "bert distilbert roberta gpt2 llama qwen2 mixtral t5 albert deberta-v2 whisper vit swin clip_text_model clip_vision_model segformer detr sam",
}


def names_of_all():
    import timm
    import torchvision
    from transformers import CONFIG_MAPPING
    known = {"torchvision": {*TORCHVISION, *SEGMENTATION}, "timm": set(TIMM), "transformers": set(LANGUAGE)}
    every = {"torchvision": torchvision.models.list_models(), "timm": timm.list_models(), "transformers": CONFIG_MAPPING.keys()}
    return [f"{source}:{name}" for source, names in every.items() for name in names if name not in known[source] and name not in OTHERS[source].split()]


# ---- nets: (name) -> module, candidates of its inputs -----------------------------------------------------------------------------------------

def small_enough(make):
    """What `make()` makes, whose parameters are counted before they have memory where it can be made so."""
    try:
        with torch.device("meta"):
            counted(make())
    except (RuntimeError, NotImplementedError, TypeError, AttributeError):  # it reads values while it is made
        pass
    return counted(make())


def counted(model):
    count = sum(parameter.numel() for parameter in model.parameters())
    if count > MOST:
        raise ValueError(f"{count / 1e6:.0f} million parameters")
    return model


def picture(side, channels=3):
    return torch.randn(1, channels, side, side)


def torchvision_net(name):
    from torchvision import models
    builder = models.get_model_builder(name)
    extra = {key: None for key in inspect.signature(builder).parameters if key in ("weights", "weights_backbone")}
    if "quantiz" in builder.__module__:
        extra["quantize"] = False
    if name.removeprefix("quantized_") in ("googlenet", "inception_v3"):
        extra |= {"init_weights": False, "aux_logits": False}
    if "detection" in builder.__module__:
        return small_enough(lambda: builder(**extra)), [([torch.rand(3, 320, 320)],)]
    if "video" in builder.__module__:
        return small_enough(lambda: builder(**extra)), [(torch.randn(1, 3, 16, side, side),) for side in (SIDE, 112, 224)]
    if "optical_flow" in builder.__module__:
        return small_enough(lambda: builder(**extra)), [(picture(128), picture(128))]
    return small_enough(lambda: builder(**extra)), [(picture(side),) for side in (SIDE, 224, 299)]


def timm_net(name):
    import timm
    own = timm.get_pretrained_cfg(name, allow_unregistered=True).input_size[-1]
    try:
        return small_enough(lambda: timm.create_model(name, img_size=SIDE)), [(picture(SIDE),), (picture(own),)]
    except ValueError:
        raise
    except Exception:  # it has one size, or divides no other
        return small_enough(lambda: timm.create_model(name)), [(picture(SIDE),), (picture(own),)]


# ---- transformers -----------------------------------------------------------------------------------------------------------------------------

WIDTH = re.compile(r"hidden|intermediate|inner|ffn|embed|embd|d_model|d_kv|d_ff|(^|_)dim|width|channels|rank|_size$|_sizes$|head_dim|features")
KEPT = re.compile(r"image|patch|vocab|kernel|window|stride|chunk|block|num_channels|in_channels|position|crop|pool|batch|grid|context|heads|token|num_|layer|act|drop|init")
COUNTS = {r"vocab_size": 128, r"layers?$|depth$|num_blocks|n_layer": 2, r"experts$": 4, r"experts_per|top_k$|topk": 2, r"max_position": 128}


def narrowed(key, value, factor, layers):
    """A value of a configuration for a net of few layers and a width divided by `factor`."""
    if isinstance(value, dict):
        return small(value, factor)
    if isinstance(value, list):
        value = value[:2] if len(value) == layers and layers > 4 else value
        return [narrowed("depth" if key == "depths" else key, one, factor, 0) for one in value]
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    if re.search(r"token_(id|index)$", key):
        return value % 100
    for pattern, most in COUNTS.items():
        if re.search(pattern, key):
            return min(value, most)
    if key == "image_size":
        return min(value, 128 - 128 % 16)
    if WIDTH.search(key) and not KEPT.search(key) and value >= 32 and value % factor == 0:
        return value // factor
    return value


def small(values, factor):
    layers = next((values[key] for key in ("num_hidden_layers", "num_layers", "n_layer", "n_layers") if isinstance(values.get(key), int)), 0)
    return {key: narrowed(key, value, factor, layers) for key, value in values.items() if key not in ("transformers_version", "architectures")}


def model_class(kind):
    """AutoModel's of this configuration, or the first of its module."""
    import transformers
    if kind in transformers.MODEL_MAPPING:
        found = transformers.MODEL_MAPPING[kind]
        return found[0] if isinstance(found, tuple) else found
    module = sys.modules[kind.__module__].__name__.replace("configuration_", "modeling_")
    members = inspect.getmembers(__import__(module, fromlist=["x"]), inspect.isclass)
    return next(cls for _, cls in members if getattr(cls, "config_class", None) is kind and not cls.__name__.endswith("PreTrainedModel"))


def side_of(config):
    for one in (config, getattr(config, "vision_config", None), getattr(config, "backbone_config", None)):
        size = getattr(one, "image_size", None)
        if isinstance(size, (int, list, tuple)):
            return size if isinstance(size, int) else size[0]
    return 128


def candidates(model):
    """Inputs to try, each {name: array}: the main input in the forms that nets have, alone and with others."""
    config, main = model.config, model.main_input_name
    taken = inspect.signature(model.forward).parameters
    side, channels = side_of(config), getattr(config, "num_channels", 3)
    mels = next((getattr(config, key) for key in ("num_mel_bins", "input_feat_per_channel", "n_mels", "feature_size") if isinstance(getattr(config, key, None), int)), 80)
    width = next((getattr(config, key) for key in ("hidden_size", "d_model") if isinstance(getattr(config, key, None), int)), 64)
    words = [torch.randint(3, 100, (1, 12))]
    forms = {
        "input_ids": words, "decoder_input_ids": words,
        "pixel_values": [picture(side, channels), picture(224, channels), torch.randn(1, 8, channels, side, side)],
        "input_features": [torch.randn(1, mels, 200), torch.randn(1, 200, mels), torch.randn(1, 1, 200, mels), torch.randn(1, mels, 3000)],
        "input_values": [torch.randn(1, 4000), torch.randn(1, 1, 4000), torch.randn(1, 200, mels), torch.randn(1, 1024, 128)],
        "inputs_embeds": [torch.randn(1, 12, width)], "hidden_states": [torch.randn(1, 12, width), torch.randn(1, width, 12)],
        "pixel_values_videos": [torch.randn(1, 8, channels, side, side)],
    }
    order = [main, *(key for key in forms if key in taken and key != main)]
    for first in (key for key in order if key in forms):
        for array in forms[first]:
            yield {first: array}
            for second in (key for key in order if key in forms and key != first):
                yield {first: array, second: forms[second][0]}


def transformers_net(name):
    from transformers import CONFIG_MAPPING
    kind, problem = CONFIG_MAPPING[name], None
    for factor in NARROWER:
        try:
            config = kind.from_dict(small(kind().to_dict(), factor))
            config.use_cache = False
            model = small_enough(lambda: model_class(kind)._from_config(config, attn_implementation="eager")).eval()
            feed = first_that_runs(model, list(itertools.islice(candidates(model), 40)))
            return Flat(model, list(feed)), [tuple(feed.values())]
        except Exception as found:  # the next width
            problem = problem or found
    raise problem


def first_that_runs(model, feeds):
    problem = None
    for feed in feeds:
        try:
            with torch.no_grad():
                model(**feed)
            return feed
        except Exception as found:  # the next inputs
            problem = problem or found
    raise problem or ValueError("of no known input")


# ---- export -----------------------------------------------------------------------------------------------------------------------------------

def leaves(result):
    """All tensors of a result, in order."""
    if isinstance(result, torch.Tensor):
        return [result]
    parts = result.values() if isinstance(result, dict) else result if isinstance(result, (list, tuple)) else []
    return [leaf for part in parts for leaf in leaves(part)]


class Flat(torch.nn.Module):
    """A net whose results are tensors alone, each once."""

    def __init__(self, model, names=()):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *arrays):
        result = self.model(**dict(zip(self.names, arrays))) if self.names else self.model(*arrays)
        return tuple({id(leaf): leaf for leaf in leaves(result)}.values())


def normalized(model, arguments):
    """Statistics of BatchNormalization are those of random data, as zeros and ones would hide a wrong normalization and blow up what is deep."""
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.track_running_stats]
    for norm in norms:
        norm.momentum = 1.0
        norm.train()
    try:
        with torch.no_grad():
            model(*(torch.cat([array, torch.randn(3, *array.shape[1:])]) if isinstance(array, torch.Tensor) and array.is_floating_point() else array for array in arguments))
    except Exception:  # it takes one sample
        pass
    for norm in norms:
        norm.eval()
        norm.running_var.clamp_(min=0.1)


def flat_arrays(arguments):
    return [np.asarray(array) for array in leaves(arguments)]


def made(name):
    source, net = name.split(":")
    torch.manual_seed(5)
    model, feeds = {"torchvision": torchvision_net, "timm": timm_net, "transformers": transformers_net}[source](net)
    model = (model if isinstance(model, Flat) else Flat(model)).eval()
    vary(model)
    problem = None
    for arguments in feeds:
        try:
            normalized(model, arguments)
            with torch.no_grad():
                model(*arguments)
            return model, arguments
        except Exception as found:  # the next size
            problem = found
    raise problem


def export(name, path):
    model, arguments = made(name)
    torch.onnx.export(model, arguments, f"{path}.onnx", dynamo=True, external_data=False, verbose=False)
    np.savez(f"{path}.npz", **{str(i): array for i, array in enumerate(flat_arrays(arguments))})


if __name__ == "__main__":
    torch.set_num_threads(1)
    import timm, torchvision, transformers  # once for all nets  # noqa: E401, F401
    serve(names_of_all, export)
