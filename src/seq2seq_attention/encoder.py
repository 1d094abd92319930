"""The encoder: source ids to one state per position, h_1 .. h_S."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class EncoderOutput(NamedTuple):
    """What the encoder hands on. A plain decoder uses `final` alone, attention all `states`."""

    states: Tensor  # (B, S, D): h_i, zero at padding
    final: Tensor  # (B, H): the decoder's first state; for a one-way encoder the last h_i


def gru_step(
    x: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor, b_hh: Tensor
) -> Tensor:
    """One step of a gated recurrent unit, written out: what `nn.GRU` repeats S times.

        r = σ(W_ir x + b_ir + W_hr h + b_hr)          reset gate
        z = σ(W_iz x + b_iz + W_hz h + b_hz)          update gate
        n = tanh(W_in x + b_in + r ⊙ (W_hn h + b_hn)) candidate state
        h' = (1 − z) ⊙ n + z ⊙ h

    Args:
        x: input (B, E).
        h: state (B, H).
        w_ih: (3H, E), the rows of r, z and n one below the other, as PyTorch stores them.
        w_hh: (3H, H).
        b_ih: (3H,).
        b_hh: (3H,).

    Returns:
        The next state (B, H).

    Source: Cho et al. 2014, section 2.3, in PyTorch's variant (the reset gate acts after
    the product, and z keeps the old state).
    """
    in_r, in_z, in_n = (x @ w_ih.T + b_ih).chunk(3, dim=-1)  # (B, H) each
    hid_r, hid_z, hid_n = (h @ w_hh.T + b_hh).chunk(3, dim=-1)
    r = torch.sigmoid(in_r + hid_r)
    z = torch.sigmoid(in_z + hid_z)
    n = torch.tanh(in_n + r * hid_n)
    return (1 - z) * n + z * h


class Encoder(nn.Module):
    """Embedding and GRU over the source, forwards or both ways.

    One way: `final` is the state after the last real token, the context vector c of
    Sutskever et al. 2014. Both ways: h_i is the forward state beside the backward state,
    D = 2 × `hidden_size`, and `final` is tanh(W_s [h→_S ; h←_1]): each direction's state after
    it has read everything. Bahdanau et al. 2015 (appendix A.2.2) take h←_1 alone; with both,
    a two-way encoder can also serve a decoder without attention.

    Args:
        vocab_size: V of the source.
        embed_size: E.
        hidden_size: width of one direction.
        bidirectional: read backwards too.
        final_size: H of `final`; equal to `hidden_size` unless bidirectional.
        dropout: share of the numbers in `states` set to zero in training; `final` is left whole.

    Raises:
        ValueError: a size is below 1, `final_size` differs for a one-way encoder, or `dropout`
            is not in [0, 1).
    """

    def __init__(
        self,
        vocab_size: int,
        embed_size: int,
        hidden_size: int,
        bidirectional: bool = False,
        final_size: int | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        final_size = hidden_size if final_size is None else final_size
        for name, size in [
            ("vocab_size", vocab_size),
            ("embed_size", embed_size),
            ("hidden_size", hidden_size),
            ("final_size", final_size),
        ]:
            if size < 1:
                raise ValueError(f"{name} must be at least 1, got {size}")
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout must be from 0 to below 1, got {dropout}")
        if not bidirectional and final_size != hidden_size:
            raise ValueError(
                f"a one-way encoder hands on its last state as it is: final_size must be "
                f"{hidden_size}, got {final_size}"
            )
        self.embedding = nn.Embedding(vocab_size, embed_size, padding_idx=0)
        self.gru = nn.GRU(embed_size, hidden_size, batch_first=True, bidirectional=bidirectional)
        self.bridge = nn.Linear(2 * hidden_size, final_size) if bidirectional else None
        self.dropout = nn.Dropout(dropout)
        self.output_size = hidden_size * (2 if bidirectional else 1)

    def forward(self, src_ids: Tensor, src_len: Tensor) -> EncoderOutput:
        """Read the batch.

        Args:
            src_ids: (B, S) int64, padded at the end.
            src_len: (B,) int64 on the CPU, from 1 to S.

        Raises:
            ValueError: shapes or lengths don't fit, or lengths aren't integers.
        """
        if src_len.dtype.is_floating_point or src_len.dtype == torch.bool:
            raise ValueError(f"src_len must be integers, got {src_len.dtype}")
        if src_ids.ndim != 2 or src_len.shape != src_ids.shape[:1]:
            raise ValueError(
                f"expected src_ids (B, S) and src_len (B,), got {tuple(src_ids.shape)} and "
                f"{tuple(src_len.shape)}"
            )
        size = src_ids.shape[1]
        if not 1 <= int(src_len.min()) <= int(src_len.max()) <= size:
            raise ValueError(f"src_len must be from 1 to {size}, got {src_len.tolist()}")
        embedded = self.embedding(src_ids)  # (B, S, E)
        if int(src_len.min()) == size:  # no padding: nothing to skip
            states, last = self.gru(embedded)  # (B, S, D), (directions, B, hidden)
        else:
            packed = pack_padded_sequence(
                embedded, src_len.cpu(), batch_first=True, enforce_sorted=False
            )
            states, last = self.gru(packed)
            states, _ = pad_packed_sequence(states, batch_first=True, total_length=size)
        states = self.dropout(states)
        if self.bridge is None:
            return EncoderOutput(states, last[0])
        return EncoderOutput(states, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1))))
