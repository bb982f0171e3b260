"""Models of timm, which classify pictures."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import nn

from benchmarks.case import Arg
from benchmarks.zoo.libraries import library
from benchmarks.zoo.model import Model


def build(kind: str, options: dict[str, Any], small: dict[str, Any], tiny: bool) -> nn.Module:
    """The model that timm has under this name."""
    return library("timm").create_model(kind, pretrained=False, **{**options, **(small if tiny else {})})


def picture(
    name: str, kind: str, batch: int, *, channels_last: bool = False, side: int = 224,
    small: dict[str, Any] | None = None, small_side: int = 64, **options: Any,
) -> Model:  # fmt: skip
    """A classifier; `small` are options of a smoke test."""
    args, few = (Arg((batch, 3, side, side)),), (Arg((2, 3, small_side, small_side)),)
    return Model(name, "timm", partial(build, kind, options, small or {}), args, few, channels_last, classes=-1)


def transformer(name: str, kind: str, batch: int, **options: Any) -> Model:
    """A vision transformer of four blocks; the position of each patch is learned, so its pictures have one size."""
    few = {"img_size": 32, "depth": 1, "embed_dim": 32, "num_heads": 2, "num_classes": 10}
    return picture(f"{name}, 4 layers", kind, batch, small=few, small_side=32, depth=4, **options)


MODELS = (
    transformer("ViT B/16", "vit_base_patch16_224", 64),
    transformer("DeiT S/16", "deit_small_patch16_224", 128),
    transformer("BEiT B/16", "beit_base_patch16_224", 64),
    picture("Swin tiny, 2+2+2+2 layers", "swin_tiny_patch4_window7_224", 64, depths=(2, 2, 2, 2), small_side=224),
    picture("ConvNeXt tiny, 3+3+3+3 layers", "convnext_tiny", 64, depths=(3, 3, 3, 3),
            small={"depths": (1, 1, 1, 1), "dims": (8, 16, 24, 32)}, small_side=32),
    picture("ResNet-50", "resnet50", 128, small={"layers": (1, 1, 1, 1)}, small_side=32),
    picture("ResNet-50 channels-last", "resnet50", 128, channels_last=True, small={"layers": (1, 1, 1, 1)},
            small_side=32),
    picture("ResNeXt-50 32x4d, 2+2+2+2 layers", "resnext50_32x4d", 64, layers=(2, 2, 2, 2)),
    picture("RegNetY 3.2 GF", "regnety_032", 64),
    picture("EfficientNet B0", "efficientnet_b0", 128),
    picture("MobileNetV3 large", "mobilenetv3_large_100", 128),
    picture("MobileNetV3 large channels-last", "mobilenetv3_large_100", 128, channels_last=True),
    picture("DenseNet-121, 4+4+4+4 layers", "densenet121", 64, block_config=(4, 4, 4, 4)),
    picture("MLP-Mixer S/32", "mixer_s32_224", 128, small_side=224),
    picture("VGG-16 with batch norm", "vgg16_bn", 64),
)  # fmt: skip
