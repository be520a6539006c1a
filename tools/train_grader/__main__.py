"""Train the shipped grader from `{q, p, label}` pairs: `make train-grader`, or `python -m tools.train_grader --help`.

Runs on a GPU where there is one, else on the CPU. The same seed, data and machine give the same model.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import torch
from tokenizers import Tokenizer

from tools.train_grader import network
from tools.train_grader.mining import confused, embedded
from tools.train_grader.pairs import groups, read
from tools.train_grader.training import Recipe, train


def main() -> None:
    options = _parser().parse_args()
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads or torch.get_num_threads())
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = network.load(options.base)
    if options.layers:
        model = network.shortened(model, options.layers)
    tokenizer = Tokenizer.from_file(str(options.base / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pairs = read(options.data)
    if options.confused:
        found = embedded(pairs, options.embedder, threads=options.threads or torch.get_num_threads())
        pairs += confused(pairs, *found, each=options.confused)
    ready = groups(pairs, seed=options.seed)
    available = sum(map(len, ready))
    used = min(options.pairs or available, available)
    print(f"{len(ready)} questions, {available} pairs, {used} of them used, on {device}", flush=True)
    recipe = Recipe(used, rate=options.rate, listwise=options.listwise, frozen=options.frozen)
    train(model, tokenizer, ready, recipe, device)
    model.to("cpu")
    if options.keep:
        model.save_pretrained(options.keep)
        (options.keep / "tokenizer.json").write_bytes((options.base / "tokenizer.json").read_bytes())
    network.export(model, options.base, options.out, name=options.name, max_tokens=224)
    print(f"Written to {options.out}. Measure it: python -m bench.fit_calibration --grader {options.out}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.train_grader", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="pairs, .jsonl or .jsonl.gz")
    parser.add_argument("--base", type=Path, required=True, help="folder of the network to start from")
    parser.add_argument("--out", type=Path, required=True, help="folder for model.onnx, tokenizer.json and config.json")
    parser.add_argument("--keep", type=Path, help="folder for the weights in full precision, for further training")
    parser.add_argument("--name", default="candor-grader-v1")
    parser.add_argument("--pairs", type=int, default=0, help="how many pairs to see (default: all, once)")
    parser.add_argument("--layers", type=int, default=0, help="keep only so many layers (default: all)")
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--listwise", type=float, default=0.5, help="weight of the listwise loss")
    parser.add_argument("--frozen", type=int, default=0, help="how many of the lowest layers to leave as they are")
    parser.add_argument(
        "--confused", type=int, default=0, help="passages a question that the embedder takes for answers"
    )
    parser.add_argument("--embedder", type=Path, default=Path("models/embedder"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    return parser


if __name__ == "__main__":
    main()
