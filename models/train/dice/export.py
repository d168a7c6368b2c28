"""Write a trained network as ONNX, with its record in `models/networks.json`.

python -m models.train.dice.export finder detector.pt
python -m models.train.dice.export reader reader.pt
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import onnx
import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from models.train.dice.net import HINTS, Detector, Reader

OPSET = 17
VERSIONS = {"dice_finder": 3, "dice_reader": 4}
"""Counted up whenever another file is released."""
FOLDER = Path(__file__).resolve().parents[2]


def fused(net: nn.Module) -> nn.Module:
    """Batch normalisation folded into the convolution before it."""
    for name, child in net.named_children():
        if isinstance(child, nn.Sequential) and len(child) >= 2 and isinstance(child[1], nn.BatchNorm2d):
            conv = fuse_conv_bn_eval(child[0], child[1])
            setattr(net, name, nn.Sequential(conv, *list(child.children())[2:]))
        else:
            fused(child)
    return net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", choices=["finder", "reader"])
    parser.add_argument("weights", type=Path)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    args = parser.parse_args()
    net = Detector() if args.net == "finder" else Reader()
    net.load_state_dict(torch.load(args.weights))
    net = fused(net.eval())
    name = f"dice_{args.net}"
    size, inputs = (64, {}) if args.net == "finder" else (48, {"hint": torch.zeros(1, HINTS)})
    free = {0: "n", 2: "h", 3: "w"} if args.net == "finder" else {0: "n"}
    path = args.folder / f"{name}.onnx"
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, size, size), *inputs.values()),
        path,
        input_names=["picture", *inputs],
        output_names=["answer"],
        dynamic_axes={"picture": free, "answer": free} | {key: {0: "n"} for key in inputs},
        opset_version=OPSET,
        dynamo=False,
    )
    model = onnx.load(path)
    # What made the file says nothing about where.
    del model.metadata_props[:]
    model.doc_string = ""
    for node in model.graph.node:
        node.doc_string = ""
    onnx.checker.check_model(model)
    data = model.SerializeToString(deterministic=True)
    path.write_bytes(data)
    index = args.folder / "networks.json"
    records = json.loads(index.read_text()) if index.exists() else {}
    records[name] = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "opset": OPSET,
        "version": VERSIONS[name],
    }
    index.write_text(json.dumps(records, indent=2, sort_keys=True) + "\n")
    print(path, len(data))


if __name__ == "__main__":
    main()
