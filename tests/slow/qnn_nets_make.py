#!/usr/bin/env python3
"""Exports a net of torchvision or timm with random weights for tests/slow/qnn_nets: FOLDER/model.onnx and rows.npz.

    qnn_nets_make.py NAME FOLDER          exit 1: it cannot be; the last line of standard error says why
    qnn_nets_make.py --draw SEED COUNT    so many of all names, in the order of the draw

Batch norms have the statistics that they measure on a few rows. Rows are smooth noise with some detail, as pictures are: batch 1, the net's own size,
of nets that take any at most 224."""
import logging
import os
import random
import sys
import warnings

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
MOST_BYTES, MOST_SIDE, ROWS = 200e6, 224, 10
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
torch.set_num_threads(1)


def names():
    import timm
    import torchvision
    return sorted([f"torchvision/{name}" for name in torchvision.models.list_models()] + [f"timm/{name}" for name in timm.list_models()])


class Tensors(torch.nn.Module):
    """All tensors of the result, whatever they are in."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return tuple(leaf for leaf in torch.utils._pytree.tree_leaves(self.model(x)) if isinstance(leaf, torch.Tensor))


def created(name):
    """The net, and the shapes that its input may have, the wanted one first."""
    family, name = name.split("/")
    if family == "timm":
        import timm
        with torch.device("meta"):
            refuse_large(timm.create_model(name, pretrained=False))
        model = timm.create_model(name, pretrained=False)
        own = tuple(model.default_cfg.get("input_size") or (3, MOST_SIDE, MOST_SIDE))
        return model, [own[:1] + tuple(min(side, MOST_SIDE) for side in own[1:]), own]
    from torchvision import models
    builder = models.get_model_builder(name)
    plain = {"weights": None, **({"weights_backbone": None} if any(kind in builder.__module__ for kind in ("detection", "segmentation")) else {})}
    model = models.get_model(name, **plain)
    refuse_large(model)
    return model, [(3, 16, 112, 112), (3, 16, 224, 224)] if ".video" in builder.__module__ else [(3, MOST_SIDE, MOST_SIDE), (3, 299, 299)]


def refuse_large(model):
    size = sum(parameter.numel() for parameter in model.parameters()) * 4
    if size > MOST_BYTES:
        sys.exit(f"{size / 1e6:.0f} MB of weights")


def vary(model):
    """Parameters of one number, heads of zeros and scales of 1e-6 among them, get others: what comes before them counts."""
    for parameter in model.parameters():
        first = parameter.data.flatten()[0]
        if parameter.numel() > 1 and torch.all(parameter.data == first):
            parameter.data.normal_(0, 0.1) if first == 0 else parameter.data.uniform_(0.5, 1.5)


def pictures(draw, count, shape):
    coarse = tuple(-(-side // 16) for side in shape[-2:])
    smooth = draw.normal(size=(count, *shape[:-2], *coarse))
    smooth = smooth.repeat(16, -2).repeat(16, -1)[..., :shape[-2], :shape[-1]]
    return (smooth + draw.normal(0, 0.3, (count, *shape))).astype(np.float32)


def measure(model, shape):
    """Statistics of batch norms."""
    found = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    for module in found:
        module.train()
        module.momentum = None  # the mean of all batches
        module.reset_running_stats()
    draw = np.random.default_rng(7)
    for _ in range(2 if found else 0):
        model(torch.from_numpy(pictures(draw, 4, shape)))
    model.eval()


def make(name, folder):
    torch.manual_seed(34)
    model, shapes = created(name)
    model.eval()
    vary(model)
    with torch.no_grad():
        for shape in shapes:
            try:
                model(torch.zeros(1, *shape))
                break
            except Exception as problem:  # of any kind, as nets say that they need another size
                if shape == shapes[-1]:
                    raise problem
        measure(model, shape)
    rows = pictures(np.random.default_rng(11), ROWS, shape)
    model, example = Tensors(model), (torch.from_numpy(rows[:1]),)
    path = f"{folder}/model.onnx"
    try:
        torch.onnx.export(model, example, path, dynamo=True, external_data=False, verbose=False, input_names=["x"])
    except Exception:
        torch.onnx.export(model, example, path, dynamo=False, opset_version=17, input_names=["x"])
    if os.path.getsize(path) > MOST_BYTES:
        sys.exit(f"{os.path.getsize(path) / 1e6:.0f} MB")
    np.savez(f"{folder}/rows.npz", **{str(k): rows[k:k + 1] for k in range(ROWS)})


if __name__ == "__main__":
    if sys.argv[1] == "--draw":
        print("\n".join(random.Random(int(sys.argv[2])).sample(names(), int(sys.argv[3]))))
    else:
        make(*sys.argv[1:3])
