"""The cross-encoder: read from a folder, cut to fewer layers, written as the int8 ONNX file that the product runs."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from transformers import BertConfig, BertForSequenceClassification

NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
"""One pass over the data can't be learned by heart, and on a CPU dropout takes a fifth of the time."""
OPSET = 14
"""The runtime fuses attention that was exported eagerly at this opset; 1.4 times faster than at 17."""
_MATMUL = re.compile(r"/m/(bert/.+|classifier)/(?:Gemm_)?MatMul_quant$")


def load(folder: Path) -> BertForSequenceClassification:
    """A BERT with one logit, from a folder with `model.safetensors` or with an int8 `model.onnx` that `export` wrote.
    Attention is eager: what is exported is what was trained."""
    if (folder / "model.safetensors").exists():
        return BertForSequenceClassification.from_pretrained(
            folder, num_labels=1, attn_implementation="eager", **NO_DROPOUT
        )
    known = BertConfig.from_json_file(folder / "config.json")
    config = BertConfig.from_dict({**known.to_dict(), "num_labels": 1, **NO_DROPOUT})
    config._attn_implementation = "eager"
    model = BertForSequenceClassification(config)
    missing, unexpected = model.load_state_dict(_dequantized(folder / "model.onnx"), strict=False)
    if missing or unexpected:
        raise ValueError(f"{folder / 'model.onnx'} is not such a network: missing {missing}, unexpected {unexpected}")
    return model


def shortened(model: BertForSequenceClassification, layers: int) -> BertForSequenceClassification:
    """The same with `layers` of its layers, spread evenly, the last one among them."""
    have = len(model.bert.encoder.layer)
    keep = [round((n + 1) * have / layers) - 1 for n in range(layers)]
    model.bert.encoder.layer = torch.nn.ModuleList(model.bert.encoder.layer[n] for n in keep)
    model.config.num_hidden_layers = layers
    return model


def export(model: BertForSequenceClassification, base: Path, out: Path, *, name: str, max_tokens: int) -> None:
    """Writes model.onnx (dynamic int8, per channel, weights of 7 bits), tokenizer.json and config.json. With 7 bits
    no sum of two products overflows on processors without VNNI: the scores are then the same on all."""
    out.mkdir(parents=True, exist_ok=True)
    whole = _Logit(model.eval())
    row = torch.ones(2, 8, dtype=torch.long)
    axes = {"input_ids": {0: "batch", 1: "tokens"}}
    axes |= {"attention_mask": axes["input_ids"], "token_type_ids": axes["input_ids"], "logit": {0: "batch"}}
    with tempfile.TemporaryDirectory() as workshop:
        plain = Path(workshop) / "model.onnx"
        torch.onnx.export(
            whole,
            (row, row, row),
            str(plain),
            input_names=["input_ids", "attention_mask", "token_type_ids"],
            output_names=["logit"],
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
        quantize_dynamic(plain, out / "model.onnx", per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    shutil.copy(base / "tokenizer.json", out / "tokenizer.json")
    learned = {key: value for key, value in model.config.to_dict().items() if key != "_name_or_path"}
    config = {**learned, "name": name, "head": "logit", "max_tokens": max_tokens}
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


class _Logit(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, model: BertForSequenceClassification) -> None:
        super().__init__()
        self.m = model

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.m(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
        return logits[:, 0]


def _dequantized(path: Path) -> dict[str, torch.Tensor]:
    graph = onnx.load(path).graph
    raw = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
    weights = {name.removeprefix("m."): value for name, value in raw.items() if value.dtype == torch.float32}
    weights = {name: value for name, value in weights.items() if re.match(r"(bert|classifier)\.", name)}
    weights = {name: value for name, value in weights.items() if not name.endswith("_scale")}
    for table in (name for name in raw if name.endswith("embeddings.weight_quantized")):
        stem = table.removesuffix("_quantized")
        centred = raw[table].float() - raw[f"{stem}_zero_point"].float()
        weights[stem.removeprefix("m.")] = centred * raw[f"{stem}_scale"]
    for node in graph.node:
        if found := _MATMUL.match(node.name):
            stem = node.input[1].removesuffix("_quantized")
            name = found[1].replace("/", ".") + ".weight"
            weights[name] = (raw[node.input[1]].float() * raw[f"{stem}_scale"]).T.contiguous()
    return weights
