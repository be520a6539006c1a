"""The loop: mixed batches of whole questions, a loss for each pair and one for each question's list."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from transformers import BertForSequenceClassification

from tools.train_grader.pairs import Pair

Group = list[Pair]


@dataclass(frozen=True, slots=True)
class Recipe:
    """`tokens` is the size of a batch, padding included; `listwise` weighs the loss over a question's passages against
    the one over single pairs; `frozen` is how many of the lowest layers stay as they are, the embeddings with them."""

    pairs: int
    rate: float = 3e-5
    warmup: float = 0.06
    tokens: int = 4096
    max_tokens: int = 192
    listwise: float = 0.5
    frozen: int = 0


def encode(tokenizer: Tokenizer, question: str, passage: str, limit: int) -> tuple[list[int], list[int]]:
    """(ids, types) of `[CLS] question [SEP] passage [SEP]`; only the passage is cut, as the product does it."""
    asked = tokenizer.encode(question, add_special_tokens=False)
    asked.truncate(min(96, (limit - 3) // 2))
    said = tokenizer.encode(passage, add_special_tokens=False)
    said.truncate(limit - 3 - len(asked.ids))
    whole = tokenizer.post_process(asked, said)
    return whole.ids, whole.type_ids


def tensors(encoded: Sequence[tuple[list[int], list[int]]], device: str) -> dict[str, torch.Tensor]:
    width = max(len(ids) for ids, _ in encoded)
    ids, types, mask = (torch.zeros(len(encoded), width, dtype=torch.long) for _ in range(3))
    for row, (own, kinds) in enumerate(encoded):
        ids[row, : len(own)] = torch.tensor(own)
        types[row, : len(own)] = torch.tensor(kinds)
        mask[row, : len(own)] = 1
    return {"input_ids": ids.to(device), "token_type_ids": types.to(device), "attention_mask": mask.to(device)}


def train(
    model: BertForSequenceClassification, tokenizer: Tokenizer, groups: Sequence[Group], recipe: Recipe, device: str
) -> None:
    """In place. Prints the mean loss and the speed now and then."""
    for part in [model.bert.embeddings, *model.bert.encoder.layer[: recipe.frozen]] if recipe.frozen else []:
        part.requires_grad_(False)
    learning = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=recipe.rate, weight_decay=0.01)
    model.to(device).train()
    done, step, losses, start = 0, 0, 0.0, time.monotonic()
    for batch in _batches(tokenizer, groups, recipe):
        optimizer.param_groups[0]["lr"] = recipe.rate * _slope(done / recipe.pairs, recipe.warmup)
        loss = _loss(model, batch, recipe, device)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        done, step, losses = done + sum(map(len, batch)), step + 1, losses + loss.item()
        if step % 50 == 0:
            print(f"{done} pairs, loss {losses / 50:.4f}, {done / (time.monotonic() - start):.1f} a second", flush=True)
            losses = 0.0
    model.eval()


Encoded = tuple[tuple[list[int], list[int]], float]


def _batches(tokenizer: Tokenizer, groups: Sequence[Group], recipe: Recipe) -> Iterator[list[list[Encoded]]]:
    """Whole questions of like length together; their batches in the order of the questions, portion by portion."""
    limit, taken = recipe.max_tokens, 0
    for start in range(0, len(groups), 512):
        portion = [
            [(encode(tokenizer, p.question, p.passage, limit), p.label) for p in group]
            for group in groups[start : start + 512]
        ]
        portion.sort(key=lambda group: max(len(ids) for (ids, _), _ in group))
        ready: list[list[list[Encoded]]] = [[]]
        for group in portion:
            rows = [*ready[-1], group]
            if sum(map(len, rows)) * max(len(ids) for g in rows for (ids, _), _ in g) > recipe.tokens and ready[-1]:
                ready.append([])
            ready[-1].append(group)
        for at in torch.randperm(len(ready)).tolist():
            if taken >= recipe.pairs:
                return
            taken += sum(map(len, ready[at]))
            yield ready[at]


def _loss(
    model: BertForSequenceClassification, batch: Sequence[Sequence[Encoded]], recipe: Recipe, device: str
) -> torch.Tensor:
    rows = [row for group in batch for row in group]
    logits = model(**tensors([encoded for encoded, _ in rows], device)).logits[:, 0]
    labels = torch.tensor([label for _, label in rows], device=device)
    loss: torch.Tensor = binary_cross_entropy_with_logits(logits, labels)
    if recipe.listwise:
        lists, at, first = [], 0, torch.tensor(0, device=device)
        for group in batch:
            if len(group) > 1 and group[0][1] and not any(label for _, label in group[1:]):
                lists.append(cross_entropy(logits[at : at + len(group)], first))
            at += len(group)
        loss = loss + recipe.listwise * torch.stack(lists).mean() if lists else loss
    return loss


def _slope(done: float, warmup: float) -> float:
    """Up in a line, then down along a cosine."""
    return done / warmup if done < warmup else 0.5 * (1 + math.cos(math.pi * min(1.0, (done - warmup) / (1 - warmup))))
