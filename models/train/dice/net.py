"""The two networks. Pictures go in as BGR, float32, 0 to 255, (n, 3, h, w); the scaling is theirs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

READ_SIDE, READ_EDGE = 48, 20.0
"""Side of the reader's crop and the edge of a die in it, px."""
HINTS = 2
"""Told with each crop: 1 and the length of a flat die's lean, the crop then being turned so that this points up; 0 and
0 where it is not known, the crop then being as in the picture."""
OUTPUTS = 16
"""Reader: six values, die, cocked, lean x y, quarter cos sin (not of unit length), log scale, numerals, and how far the
die's centre is from the crop's, x y, in edges."""
STRIDE = 4
FIND_EDGE = 10.0
"""Detector: the edge, px, that its size output counts from, as a logarithm."""


def block(cin: int, cout: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.a = block(channels, channels)
        self.b = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.b(self.a(x)))


class Reader(nn.Module):
    """(n, 3, 48, 48) and (n, 2) to (n, 16).

    An upper face seen at 45 degrees looks as a side does. What tells is which way is up, so it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(3, 12, 2), block(12, 24), block(24, 40, 2), Residual(40), block(40, 72, 2), Residual(72)
        )
        self.squeeze = nn.Conv2d(72, 24, 1)
        self.flat = nn.Sequential(nn.Flatten(), nn.Dropout(0.1))
        self.head = nn.Sequential(nn.Linear(24 * 36 + HINTS, 96), nn.ReLU(), nn.Linear(96, OUTPUTS))

    def forward(self, x: Tensor, hint: Tensor) -> Tensor:
        x = self.flat(torch.relu(self.squeeze(self.body((x - 110.0) / 64.0))))
        return self.head(torch.cat([x, 2 * hint], 1))


class Detector(nn.Module):
    """(n, 3, h, w), h and w multiples of 8, to (n, 4, h / 4, w / 4): heat (a logit), offset x y in cells, log edge."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(block(3, 10, 2), block(10, 20, 2), block(20, 20))
        self.deep = nn.Sequential(block(20, 40, 2), block(40, 40), block(40, 40))
        self.lift = nn.Conv2d(40, 20, 1)
        self.head = nn.Sequential(block(20, 20), nn.Conv2d(20, 4, 1))
        nn.init.constant_(self.head[1].bias, 0.0)
        with torch.no_grad():
            self.head[1].bias[0] = -4.0

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem((x - 110.0) / 64.0)
        deep = nn.functional.interpolate(self.lift(self.deep(x)), scale_factor=2.0, mode="nearest")
        return self.head(torch.relu(x + deep))
