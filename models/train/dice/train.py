"""Train one network on what `data` and `real` made.

    python -m models.train.dice.train reader DATA --out reader.pt --steps 9000
    python -m models.train.dice.train detector DATA --out detector.pt --steps 3000

Deterministic on one thread of one kind of machine; bfloat16 where the processor has it (twice as fast, same result
within the noise between seeds).
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.train.dice.data import STORED_EDGE
from models.train.dice.net import FIND_EDGE, READ_EDGE, READ_SIDE, STRIDE, Detector, Reader

PATCH = 128
EDGES = (5.5, 16.0)
"""Edges, px, that the detector is to find; larger and smaller dice are another pyramid level's."""


def shards(args: argparse.Namespace) -> list[Path]:
    return [p for p in sorted(args.data.glob("[0-9]*.npz")) if "part" not in p.name][: args.shards]


# The reader


KNOWN = 0.6
"""Share of the crops with which the flat die's lean is told, and the crop turned after it."""
HINT_OFF, HINT_FAR_OFF = 0.04, 0.12
"""How far it may be off: as a camera model tells it, and as a few other dice tell it (one crop in five)."""
NOT_UPRIGHT = 0.2
"""Share of the other crops that are turned anyhow: a photograph's lower edge is nearly always its near side."""


def turns(labels: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """(n,) angles by which the crops are turned, radians, x towards y, and (n, 2) the hints that go with them."""
    n = len(labels)
    flat = labels[:, 10:12]
    have = ~torch.isnan(flat[:, 0])
    known = have & (torch.rand(n, generator=rng) < KNOWN)
    off = torch.where(torch.rand(n, 1, generator=rng) < 0.8, HINT_OFF, HINT_FAR_OFF)
    told = torch.where(known[:, None], flat + off * torch.randn(n, 2, generator=rng), flat)
    upright = -np.pi / 2 - torch.atan2(told[:, 1], told[:, 0])
    # A photograph that nobody made for this is as it was taken.
    upright = torch.where(have, upright, 0.0)
    wobble = torch.randn(n, generator=rng) * torch.where(known, 0.15, 0.3)
    anyhow = ~known & (torch.rand(n, generator=rng) < NOT_UPRIGHT)
    a = torch.where(anyhow, torch.rand(n, generator=rng) * 2 * np.pi, upright + wobble)
    hint = torch.stack([known.float(), torch.where(known, told.norm(dim=1), 0.0)], 1)
    return a, hint


def reader_batch(crops: Tensor, labels: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Turned, shifted, scaled and tinted crops at the reader's size, the hints and the labels that fit."""
    n = len(crops)
    a, hint = turns(labels, rng)
    scale = torch.exp(torch.randn(n, generator=rng) * 0.09)
    shift = torch.randn(n, 2, generator=rng) * 0.07
    zoom = READ_EDGE * scale / STORED_EDGE
    side = crops.shape[-1]
    k = READ_SIDE / side / zoom
    c, s = torch.cos(a) * k, torch.sin(a) * k
    # Picture turned by +a: a point of the output comes from the input turned by -a.
    theta = torch.stack(
        [
            torch.stack([c, s, shift[:, 0] * STORED_EDGE * 2 / side], 1),
            torch.stack([-s, c, shift[:, 1] * STORED_EDGE * 2 / side], 1),
        ],
        1,
    )
    grid = functional.affine_grid(theta, [n, 3, READ_SIDE, READ_SIDE], align_corners=False)
    x = functional.grid_sample(crops.float(), grid, padding_mode="border", align_corners=False)
    gain = torch.exp(torch.randn(n, 1, 1, 1, generator=rng) * 0.2) * torch.exp(
        torch.randn(n, 3, 1, 1, generator=rng) * 0.06
    )
    x = (x * gain + torch.randn(n, 1, 1, 1, generator=rng) * 8 + torch.randn(x.shape, generator=rng) * 2).clamp(0, 255)
    mixed = torch.rand(n, generator=rng) < 0.3
    x[mixed] = x[mixed].flip(1)
    y = labels.clone()
    lean, quarter = y[:, 1:3], y[:, 3:5]
    ca, sa = torch.cos(a), torch.sin(a)
    y[:, 1:3] = torch.stack([lean[:, 0] * ca - lean[:, 1] * sa, lean[:, 0] * sa + lean[:, 1] * ca], 1)
    c4, s4 = torch.cos(4 * a), torch.sin(4 * a)
    y[:, 3:5] = torch.stack([quarter[:, 0] * c4 - quarter[:, 1] * s4, quarter[:, 0] * s4 + quarter[:, 1] * c4], 1)
    y[:, 7:9] = -torch.stack([shift[:, 0] * ca - shift[:, 1] * sa, shift[:, 0] * sa + shift[:, 1] * ca], 1)
    y[:, 9] = torch.log(scale)
    return x, hint, y


def reader_loss(out: Tensor, y: Tensor) -> Tensor:
    """y: as `data.label`; a NaN is not known and not learned from."""
    value = y[:, 0].long()
    die = value > 0
    loss = functional.binary_cross_entropy_with_logits(out[:, 6], die.float())
    if die.any():
        o, t = out[die], y[die]
        loss = loss + functional.cross_entropy(o[:, :6], value[die] - 1, label_smoothing=0.02)
        whole = ~torch.isnan(t[:, 1])
        if whole.any():
            o, t = o[whole], t[whole]
            loss = loss + 0.5 * functional.binary_cross_entropy_with_logits(o[:, 7], t[:, 5])
            loss = loss + 8 * functional.smooth_l1_loss(o[:, 8:10], t[:, 1:3], beta=0.1)
            loss = loss + 0.5 * functional.smooth_l1_loss(o[:, 10:12], t[:, 3:5], beta=0.3)
            loss = loss + 2 * functional.smooth_l1_loss(o[:, 12], t[:, 9], beta=0.1)
            loss = loss + 4 * functional.smooth_l1_loss(o[:, 14:16], t[:, 7:9], beta=0.05)
            loss = loss + 0.1 * functional.binary_cross_entropy_with_logits(o[:, 13], t[:, 6])
    return loss


def train_reader(args: argparse.Namespace) -> nn.Module:
    crops, labels = _crops(shards(args))
    # The first ones are not learned from: on them is reported.
    held = 1500
    rng = torch.Generator().manual_seed(args.seed)
    real = _real(args)
    if real is not None:
        # Two thirds of them dice, each value as often as the others.
        kind = real[1][:, 0].long()
        real_weight = (torch.tensor([0.35, *[0.65 / 6] * 6]) / torch.bincount(kind, minlength=7).clamp(min=1))[kind]
    net = Reader()
    if args.start:
        net.load_state_dict(torch.load(args.start))

    def batch() -> tuple[Tensor, Tensor, Tensor]:
        ids = _balanced(labels, held, args.batch, rng)
        c, lab = crops[ids], labels[ids]
        if real is not None:
            more = torch.multinomial(real_weight, args.batch // 3, replacement=True, generator=rng)
            c, lab = torch.cat([c, real[0][more]]), torch.cat([lab, real[1][more]])
        return reader_batch(c, lab, rng)

    def report() -> str:
        net.eval()
        with torch.no_grad():
            x, hint, y = reader_batch(crops[:held], labels[:held], torch.Generator().manual_seed(1))
            out = net(x, hint)
        net.train()
        die = y[:, 0] > 0
        right = (out[:, :6].argmax(1) + 1 == y[:, 0])[die]
        value = " and ".join(f"{right[hint[die, 0] == k].float().mean():.4f}" for k in (1, 0))
        told = ((out[:, 6] > 0) == die).float().mean()
        lean = (out[:, 8:10] - y[:, 1:3])[die].norm(dim=1).median()
        off = (out[:, 14:16] - y[:, 7:9])[die].norm(dim=1).median()
        cocked = [((out[:, 7] > 0) == (y[:, 5] > 0))[die & (y[:, 5] == k)].float().mean() for k in (0, 1)]
        return f"value {value} die {told:.4f} lean {lean:.3f} off {off:.3f} rest {cocked[0]:.3f} cocked {cocked[1]:.3f}"

    return _fit(net, batch, reader_loss, report, args)


def _balanced(labels: Tensor, held: int, n: int, rng: torch.Generator) -> Tensor:
    """Numbers of crops: 30 % that are no dice, 42 % pips and 28 % numerals, each value as often as the others. Left to
    itself one in twenty were sixes, and the sixes of photographs were read as fives. Cocked dice count twice."""
    kind = torch.where(labels[held:, 0] > 0, labels[held:, 0] + 6 * labels[held:, 6], 0).long()
    weight = torch.tensor([0.3, *[0.42 / 6] * 6, *[0.28 / 6] * 6]) / torch.bincount(kind, minlength=13).clamp(min=1)
    return torch.multinomial(weight[kind] * (1 + labels[held:, 5]), n, replacement=True, generator=rng) + held


def _crops(paths: list[Path]) -> tuple[Tensor, Tensor]:
    loaded = [np.load(p) for p in paths]
    crops = torch.from_numpy(np.concatenate([f["crops"] for f in loaded])).permute(0, 3, 1, 2)
    return crops, torch.from_numpy(np.concatenate([f["labels"] for f in loaded]))


def _real(args: argparse.Namespace) -> tuple[Tensor, Tensor] | None:
    if not args.real:
        return None
    with np.load(args.real) as f:
        keep = ~np.isin(f["origin"], args.without)
        return torch.from_numpy(f["crops"][keep]).permute(0, 3, 1, 2), torch.from_numpy(f["labels"][keep])


# The detector


def detector_batch(scenes: list[Tensor], dice: list[Tensor], n: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Mosaics of scenes at random scales, and the heat, offset, size and weight maps (n, 5, 32, 32)."""
    cells = PATCH // STRIDE
    x = torch.zeros(n, 3, PATCH, PATCH)
    y = torch.zeros(n, 5, cells, cells)
    y[:, 4] = 1
    ys, xs = torch.meshgrid(torch.arange(cells), torch.arange(cells), indexing="ij")
    for i in range(n):
        x[i] = torch.from_numpy(rng.uniform(0, 255, (3, 1, 1)).astype(np.float32))
        cuts = [0, PATCH] if rng.random() < 0.4 else [0, int(rng.integers(8, 24)) * STRIDE, PATCH]
        for top, bottom in pairwise(cuts):
            for left, right in pairwise(cuts):
                k = int(rng.integers(len(scenes)))
                scene, boxes = scenes[k], dice[k]
                usual = float(boxes[:, 2].median()) if len(boxes) else 20.0
                edge = float(np.exp(rng.uniform(np.log(6), np.log(15))))
                if rng.random() < 0.1:
                    edge = float(rng.uniform(18, 40))
                scale = edge / usual
                small = functional.interpolate(
                    scene[None].float(), scale_factor=scale, mode="bilinear", antialias=scale < 1
                )[0]
                turn = int(rng.integers(4))
                h, w = small.shape[1:]
                bx, by = (boxes[:, 0] + 0.5) * scale - 0.5, (boxes[:, 1] + 0.5) * scale - 0.5
                for _ in range(turn):
                    bx, by, h, w = by, w - 1 - bx, w, h
                small = torch.rot90(small, turn, (1, 2))
                oy = int(rng.integers(0, max(h - (bottom - top), 0) + 1))
                ox = int(rng.integers(0, max(w - (right - left), 0) + 1))
                part = small[:, oy : oy + bottom - top, ox : ox + right - left]
                ph, pw = part.shape[1:]
                gain = float(np.exp(rng.normal(0, 0.2)))
                x[i, :, top : top + ph, left : left + pw] = (part * gain).clamp(0, 255)
                for b in range(len(boxes)):
                    px, py, e = float(bx[b]) - ox, float(by[b]) - oy, float(boxes[b, 2]) * scale
                    if not (0 <= px < pw and 0 <= py < ph):
                        continue
                    cx, cy = (px + left + 0.5) / STRIDE - 0.5, (py + top + 0.5) / STRIDE - 0.5
                    d2 = (xs - cx) ** 2 + (ys - cy) ** 2
                    near = d2 < (0.9 * e / STRIDE) ** 2
                    cut = min(px, py, pw - px, ph - py) < 0.45 * e
                    sure = boxes[b, 3] > 0 and boxes[b, 4] > 0.6 and not cut and EDGES[0] <= e <= EDGES[1]
                    if not sure:
                        if e <= 30:
                            y[i, 4][near] = 0
                        continue
                    sigma = max(0.18 * e / STRIDE, 0.45)
                    heat = torch.exp(-d2 / (2 * sigma**2))
                    qx, qy = round(cx), round(cy)
                    if 0 <= qx < cells and 0 <= qy < cells:
                        heat[qy, qx] = 1
                    mine = heat > torch.clamp(y[i, 0], min=0.2)
                    y[i, 0] = torch.maximum(y[i, 0], heat)
                    y[i, 1][mine] = (cx - xs)[mine]
                    y[i, 2][mine] = (cy - ys)[mine]
                    y[i, 3][mine] = float(np.log(e / FIND_EDGE))
                    y[i, 4][near] = 1
    return x + torch.from_numpy(rng.normal(0, 2, x.shape).astype(np.float32)), y


def detector_loss(out: Tensor, y: Tensor) -> Tensor:
    """The focal loss of CenterNet (Zhou et al. 2019, Objects as Points), and L1 for place and size near a centre."""
    p = torch.sigmoid(out[:, 0]).clamp(1e-4, 1 - 1e-4)
    heat, weight = y[:, 0], y[:, 4]
    peak = heat > 0.999
    count = peak.sum().clamp(min=1)
    pos = -((1 - p) ** 2 * torch.log(p))[peak].sum()
    neg = -((1 - heat) ** 4 * p**2 * torch.log(1 - p) * weight * ~peak).sum()
    near = heat > 0.3
    rest = (out[:, 1:4] - y[:, 1:4]).abs().sum(1)[near].sum() / near.sum().clamp(min=1)
    return (pos + neg) / count + rest


def train_detector(args: argparse.Namespace) -> nn.Module:
    scenes, dice = [], []
    for path in shards(args):
        with np.load(path) as f:
            part = {k: f[k] for k in ("scenes", "shapes", "dice")}
        at = 0
        for i, (h, w) in enumerate(part["shapes"]):
            size = int(h) * int(w) * 3
            scenes.append(torch.from_numpy(part["scenes"][at : at + size].reshape(h, w, 3)).permute(2, 0, 1))
            boxes = part["dice"]
            dice.append(torch.from_numpy(boxes[boxes[:, 0] == i][:, 1:]))
            at += size
    rng = np.random.default_rng(args.seed)
    net = Detector()
    if args.start:
        net.load_state_dict(torch.load(args.start))
    held_x, held_y = detector_batch(scenes[:200], dice[:200], 64, np.random.default_rng(5))

    def report() -> str:
        net.eval()
        with torch.no_grad():
            out = net(held_x)
            loss = detector_loss(out, held_y)
            p = torch.sigmoid(out[:, 0])
            top = functional.max_pool2d(p[:, None], 3, 1, 1)[:, 0]
            peak = held_y[:, 0] > 0.999
            found = (top[peak] > 0.15).float().mean()
            false = ((p == top) & (p > 0.15) & (held_y[:, 0] < 0.3) & (held_y[:, 4] > 0)).sum() / len(p)
        net.train()
        return f"held loss {loss:.3f} found {found:.4f} false a patch {false:.3f}"

    return _fit(net, lambda: detector_batch(scenes[200:], dice[200:], args.batch, rng), detector_loss, report, args)


# Both


def _fit(net, batch, loss_of, report, args) -> nn.Module:  # type: ignore[no-untyped-def]
    net = net.to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, args.rate, total_steps=args.steps, pct_start=0.1)
    began, mean = time.time(), 0.0
    for step in range(args.steps):
        x, *more, y = batch()
        x = x.contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x, *more)
        loss = loss_of(out.float(), y)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        mean = 0.98 * mean + 0.02 * float(loss.detach()) if step else float(loss.detach())
        if (step + 1) % args.every == 0 or step + 1 == args.steps:
            print(f"{step + 1} of {args.steps}: loss {mean:.3f}, {report()}, {time.time() - began:.0f} s", flush=True)
            torch.save(net.state_dict(), args.out)
    return net.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", choices=["reader", "detector"])
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="go on from this network")
    parser.add_argument("--real", type=Path, help="crops of real photographs, from `real`")
    parser.add_argument("--without", nargs="*", default=[], help="origins to leave out")
    parser.add_argument("--shards", type=int, help="learn from so many files of data, the first")
    parser.add_argument("--steps", type=int, default=9000)
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=500)
    args = parser.parse_args()
    args.batch = args.batch or (128 if args.net == "reader" else 24)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    net = (train_reader if args.net == "reader" else train_detector)(args)
    torch.save(net.state_dict(), args.out)


if __name__ == "__main__":
    main()
