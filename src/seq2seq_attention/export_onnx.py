"""A trained model for other programs: the encoder and one decoder step as ONNX graphs.

Needs the package `onnx`, which the book itself doesn't; any ONNX runtime can run the result. The
loop from `<sos>` to `<eos>` is the caller's, as in `search`.
"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor, nn

from .encoder import EncoderOutput
from .export import config_of, write_whole
from .model import Seq2Seq, evaluating

OPSET = 17


class _Encode(nn.Module):
    def __init__(self, model: Seq2Seq) -> None:
        super().__init__()
        self.encoder = model.encoder

    def forward(self, src_ids: Tensor) -> EncoderOutput:
        batch, size = src_ids.shape
        return self.encoder(src_ids, torch.full((batch,), size))


class _Step(nn.Module):
    def __init__(self, model: Seq2Seq) -> None:
        super().__init__()
        self.decoder = model.decoder

    def forward(
        self, prev_ids: Tensor, state: Tensor, states: Tensor, valid: Tensor
    ) -> list[Tensor]:
        out = self.decoder.step(prev_ids, state, EncoderOutput(states, state), valid)
        return [tensor for tensor in out if tensor is not None]


class _PlainStep(_Step):
    """A plain decoder sees nothing of the source but its first state."""

    def forward(self, prev_ids: Tensor, state: Tensor) -> list[Tensor]:  # type: ignore[override]
        return super().forward(prev_ids, state, state[:, None], state[:, None, 0] == 0)


def export_onnx(model: Seq2Seq, folder: str | Path) -> list[Path]:
    """Write `encoder.onnx`, `decoder_step.onnx` and `model.json` (config and vocabularies).

    encoder: src_ids (B, S) → states (B, S, D), final (B, H). Sources of one length, no padding.
    decoder_step: prev_ids (B,), state (B, H), and with attention states (B, S, D) and src_valid
    (B, S) bool → logits (B, V), next_state (B, H), and with attention weights (B, S). Batch and
    length may be any from 1. A mask without a True gives weights that are not numbers: the error
    that `attend` raises is not part of a graph.

    Args:
        model: any model that `build_model` made; its mode is restored afterwards.
        folder: made if it isn't there.

    Returns:
        The three files.

    Raises:
        ImportError: the package `onnx` is not installed.
        ValueError: the model is of another kind.
    """
    config, folder = config_of(model), Path(folder)
    with evaluating(model):
        encoder = _graph(_Encode(model), [torch.tensor([[3, 4]])], ["src_ids"], ["states", "final"])
        encoded = model.encoder(torch.tensor([[0, 0], [0, 0]]), torch.tensor([2, 2]))
        inputs, outputs = ["prev_ids", "state"], ["logits", "next_state"]
        values = [torch.tensor([1, 1]), encoded.final]
        step: nn.Module = _PlainStep(model)
        if config.attention != "none":
            inputs, outputs = [*inputs, "states", "src_valid"], [*outputs, "weights"]
            values = [*values, encoded.states, torch.ones(2, 2, dtype=torch.bool)]
            step = _Step(model)
        decoder = _graph(step, values, inputs, outputs)
    about = {
        "config": asdict(config),
        "src_tokens": model.src_vocab.tokens,
        "tgt_tokens": model.tgt_vocab.tokens,
    }
    text = json.dumps(about, ensure_ascii=False, indent=1).encode("utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    files = {"encoder.onnx": encoder, "decoder_step.onnx": decoder, "model.json": text}
    for name, data in files.items():
        write_whole(folder / name, data)
    return [folder / name for name in files]


def _graph(
    module: nn.Module, values: Sequence[Tensor], inputs: list[str], outputs: list[str]
) -> bytes:
    """The module as a graph that takes any batch and length.

    PyTorch's older exporter: it takes a second where the newer one takes six, and the newer
    leaves the example's length in the graph, of which runtimes warn at every other length.
    """
    lengthy = {"src_ids", "states", "src_valid", "weights"}  # have the source's axis
    axes = {
        name: {0: "batch", **({1: "length"} if name in lengthy else {})}
        for name in [*inputs, *outputs]
    }
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # checks of shapes are done while tracing, not after
        torch.onnx.export(
            module.eval(),
            tuple(values),
            file,  # type: ignore[arg-type]
            input_names=inputs,
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    return file.getvalue()
