"""A trained model as one file that says everything about itself, and back.

The browser (widgets/forward.js) reads it as well as Python; `model_file` says how it is laid out.
The header has `config` (a ModelConfig), `task`, `note`, `dtype`, `src_tokens` and `tgt_tokens`
(both with the special tokens in front), and `examples` where there are any: pairs of token lists,
source and right answer. The same model gives the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .attention import SCORES
from .data.pairs import Pair
from .decoder import BahdanauDecoder, Decoder, LuongDecoder
from .model import ModelConfig, Seq2Seq, build_model
from .model_file import read_file, size_of, unpack, write_file
from .vocab import EOS, PAD, SOS, UNK, Vocab

MOST_EXAMPLES = 50
_TIED = "decoder.head.output.weight"  # the embedding once more, so it isn't stored


def export_model(
    model: Seq2Seq,
    dtype: str = "float16",
    task: str = "own",
    note: str = "",
    examples: Sequence[Pair] = (),
) -> bytes:
    """The whole model as one file.

    Args:
        model: any model that `build_model` made; it is not changed.
        dtype: "float16" (2 bytes a weight), "float32" (4, exact), or "int8" (1 byte a weight
            and 4 a row for matrices; biases stay float32).
        task: what it translates. The page knows "numbers", "dates", "grammar-de" and "grammar-fr"
            and has the answers; any other name stands for a task of the reader's own.
        note: whatever else they should know.
        examples: pairs that the page offers for a task of the reader's own, and whose right
            answers it then knows; held-out ones are best.

    Raises:
        ValueError: `dtype` is unknown, the model is not of a kind that `build_model` makes, a
            weight is not finite, or it is too large for `dtype`; or there are more than 50
            examples, or the model can't read one of them.
    """
    config = config_of(model)
    header: dict[str, Any] = {
        "config": asdict(config),
        "task": task,
        "note": note,
        "dtype": dtype,
        "src_tokens": model.src_vocab.tokens,
        "tgt_tokens": model.tgt_vocab.tokens,
    }
    if examples:
        header["examples"] = _checked_examples(examples, model.src_vocab)
    return write_file(header, _stored(model.state_dict(), config.tied), dtype)


def save_model(
    model: Seq2Seq,
    path: str | Path,
    dtype: str = "float16",
    task: str = "own",
    note: str = "",
    examples: Sequence[Pair] = (),
) -> int:
    """Write the file of `export_model`, whole or not at all; an older file stays until then.

    Returns:
        Its size in bytes.

    Raises:
        ValueError: as in `export_model`; nothing was written then.
        OSError: the file can't be written.
    """
    data = export_model(model, dtype, task, note, examples)
    write_whole(Path(path), data)
    return len(data)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever finds half of it.

    Raises:
        OSError: it can't be written; what was there before still is.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def load_model(data: bytes) -> Seq2Seq:
    """The model of a file, in evaluation mode, its weights as near as the file's dtype allows.

    Raises:
        ValueError: the bytes are no model file, cut off, damaged, of another format version,
            or the header contradicts itself.
    """
    header, payload = read_file(data)
    try:
        config = ModelConfig(**header["config"])
        vocabs = _vocab(header["src_tokens"]), _vocab(header["tgt_tokens"])
        weights = _unpacked(header["tensors"], payload)
        _compare(weights, config, *vocabs)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:  # torch: sizes overflow
        raise ValueError(f"the file's header is wrong: {error}") from error
    with torch.random.fork_rng(devices=[]):  # the first weights are drawn, then overwritten
        model = build_model(config, *vocabs)
    if config.tied:
        weights[_TIED] = weights["decoder.embedding.weight"]
    model.load_state_dict(weights)
    return model.eval()


def _unpacked(entries: list[dict[str, Any]], payload: bytes) -> dict[str, Tensor]:
    """Raises ValueError where tensors share a name or bytes: a small file can't fill the memory."""
    weights: dict[str, Tensor] = {}
    room = len(payload)
    for entry in entries:
        if entry["name"] in weights:
            raise ValueError(f"tensor {entry['name']} is there twice")
        weights[str(entry["name"])] = unpack(entry, payload)
        room -= size_of(entry)
        if room < 0:
            raise ValueError(f"tensor {entry['name']} has bytes that others have taken")
    return weights


def config_of(model: Seq2Seq) -> ModelConfig:
    """The settings with which `build_model` makes a model of this one's kind and sizes.

    Raises:
        ValueError: there are none.
    """
    encoder, decoder = model.encoder, model.decoder
    kinds = {Decoder: "previous", BahdanauDecoder: "previous", LuongDecoder: "current"}
    if type(decoder) not in kinds:
        raise ValueError(f"expected a decoder of this package, got {type(decoder).__name__}")
    names = {kind: name for name, kind in SCORES.items()}
    score = getattr(decoder, "score", None)
    if score is not None and type(score) not in names:
        raise ValueError(f"expected a score of this package, got {type(score).__name__}")
    config = ModelConfig(
        attention="none" if score is None else names[type(score)],
        query=kinds[type(decoder)],
        embed_size=decoder.embedding.embedding_dim,
        hidden_size=decoder.gru.hidden_size,
        bidirectional=encoder.gru.bidirectional,
        encoder_size=encoder.gru.hidden_size,
        tied=isinstance(decoder.head.project, nn.Linear),
        dropout=encoder.dropout.p,
    )
    if config.tied and decoder.head.output.weight is not decoder.embedding.weight:
        raise ValueError("a tied output layer must share the target embeddings, this one doesn't")
    weights = _stored(model.state_dict(), config.tied)
    _compare(weights, config, model.src_vocab, model.tgt_vocab)
    return config


def _compare(
    weights: dict[str, Tensor], config: ModelConfig, src_vocab: Vocab, tgt_vocab: Vocab
) -> None:
    """Raises ValueError unless `weights` has the names and shapes of a model of this kind."""
    with torch.device("meta"):  # shapes alone: no memory, no random numbers
        expected = build_model(config, src_vocab, tgt_vocab).state_dict()
    shapes = {name: tuple(w.shape) for name, w in _stored(expected, config.tied).items()}
    found = {name: tuple(w.shape) for name, w in weights.items()}
    for name in sorted({*shapes, *found}):
        if found.get(name) != shapes.get(name):
            raise ValueError(
                f"tensor {name} has shape {found.get(name)}, expected {shapes.get(name)}"
            )


def _checked_examples(examples: Sequence[Pair], src_vocab: Vocab) -> list[list[list[str]]]:
    """Raises ValueError unless there are few and the model can read each."""
    if len(examples) > MOST_EXAMPLES:
        raise ValueError(f"expected at most {MOST_EXAMPLES} examples, got {len(examples)}")
    for pair in examples:
        try:
            src_vocab.encode(pair.src)
        except KeyError as error:
            raise ValueError(f"the model can't read the example {pair.src}: {error}") from error
    return [[list(pair.src), list(pair.tgt)] for pair in examples]


def _stored(weights: dict[str, Tensor], tied: bool) -> dict[str, Tensor]:
    return {name: w for name, w in weights.items() if not (tied and name == _TIED)}


def _vocab(tokens: list[str]) -> Vocab:
    """Raises ValueError unless the special tokens stand in front."""
    unk = UNK in tokens
    vocab = Vocab(tokens[3 + unk :], unk=unk)
    if vocab.tokens != tokens:
        raise ValueError(f"a vocabulary begins with {[PAD, SOS, EOS]}, got {tokens[: 3 + unk]}")
    return vocab
