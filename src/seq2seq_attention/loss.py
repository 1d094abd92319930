"""What is minimised: cross-entropy in nats per real target token."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def token_cross_entropy(logits: Tensor, tgt_out: Tensor, tgt_valid: Tensor) -> Tensor:
    """Mean over real tokens of −log P(y_t | y_<t, x); padding counts neither above nor below.

    Args:
        logits: (B, T, V).
        tgt_out: (B, T) int64.
        tgt_valid: (B, T) bool, True = a real token.

    Returns:
        A scalar, in nats. A model that knows nothing has about ln V.

    Raises:
        ValueError: shapes don't fit, or no token is real.
    """
    nats = token_nats(logits, tgt_out)
    if tgt_valid.shape != nats.shape or tgt_valid.dtype != torch.bool:
        raise ValueError(
            f"expected a bool mask {tuple(nats.shape)}, got {tgt_valid.dtype} "
            f"{tuple(tgt_valid.shape)}"
        )
    if not bool(tgt_valid.any()):
        raise ValueError("the mask leaves no real token to average over")
    return nats[tgt_valid].mean()


def token_nats(logits: Tensor, tgt_out: Tensor) -> Tensor:
    """−log softmax(l_t)[y_t] at every position, padding included: (B, T) nats.

    `log_softmax` subtracts the largest logit first, so nothing overflows.

    Raises:
        ValueError: shapes don't fit.
    """
    if logits.ndim != 3 or tgt_out.shape != logits.shape[:2]:
        raise ValueError(
            f"expected logits (B, T, V) and tgt_out (B, T), got {tuple(logits.shape)} and "
            f"{tuple(tgt_out.shape)}"
        )
    log_probs = logits.log_softmax(dim=-1)  # (B, T, V)
    return -log_probs.gather(2, tgt_out[..., None])[..., 0]  # (B, T)


def perplexity(nats: float) -> float:
    """exp of the mean nats: among how many equally likely tokens the model hesitates.

    Raises:
        ValueError: `nats` is negative or not a number.
    """
    if not nats >= 0:
        raise ValueError(f"nats per token must be 0 or more, got {nats}")
    return math.exp(nats)
