"""Networks of torchvision."""

from __future__ import annotations

import functools
from typing import Any

import torchvision
from torch import Tensor, nn

from . import Case
from .own import drawn


class Segmentation(nn.Module):
    """A network's scores at each pixel, in place of a dictionary."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        return self.network(x)["out"]


class Detection(nn.Module):
    """Boxes, scores and labels of one image."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        [found] = self.network([image])
        return found["boxes"], found["scores"], found["labels"]


def classifier(name: str, side: int, **options: Any) -> Case:
    """A network for square images of one size."""
    build = functools.partial(getattr(torchvision.models, name), weights=None, num_classes=10, **options)
    return Case(name, build, lambda n, _: (drawn(n, 3, side, side),), ({0: "batch"},), ((3, 0), (1, 0)))


def deeplab() -> nn.Module:
    """DeepLabV3 without its second head."""
    network = torchvision.models.segmentation.deeplabv3_resnet50(None, num_classes=5, weights_backbone=None)
    return Segmentation(network)


def faster_rcnn() -> nn.Module:
    """Faster R-CNN for small images, with few proposals."""
    network = torchvision.models.detection.fasterrcnn_resnet50_fpn(
        weights=None,
        weights_backbone=None,
        num_classes=5,
        min_size=64,
        max_size=64,
        rpn_pre_nms_top_n_test=50,
        rpn_post_nms_top_n_test=40,
        box_detections_per_img=30,
        box_score_thresh=0.01,
    )
    return Detection(network)


def ssdlite() -> nn.Module:
    """SSDlite for images of 320 x 320."""
    network = torchvision.models.detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5, detections_per_img=20, topk_candidates=10
    )
    return Detection(network)


CASES = [
    classifier("resnet50", 64),
    classifier("mobilenet_v3_large", 64),
    classifier("efficientnet_b0", 64),
    classifier("convnext_tiny", 64),
    classifier("vit_b_16", 32, image_size=32),
    classifier("swin_t", 64),
    Case("deeplabv3_resnet50", deeplab, lambda n, _: (drawn(n, 3, 64, 64),), ({0: "batch"},), ((3, 0), (1, 0))),
    Case(
        "fasterrcnn_resnet50_fpn",
        faster_rcnn,
        lambda n, _: (drawn(3, 64, 64).abs(),),
        calls=((1, 0),),
        factors={"fpn.": 0.3, "rpn.head.conv": 0.5, "bbox_pred": 0.02, "cls_logits": 0.2, "cls_score": 0.02},
        idle=("fpn.layer_blocks.2", "fpn.layer_blocks.3"),
    ),
    Case(
        "ssdlite320",
        ssdlite,
        lambda n, _: (drawn(3, 320, 320).abs(),),
        calls=((1, 0),),
        factors={"regression_head": 0.5},
        idle=("extra.3", "head_list.3", "module_list.3"),
    ),
]
