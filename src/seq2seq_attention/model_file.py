"""The bytes of a model file: a header that describes it, tensors, and a checksum over both.

All numbers are little endian:

    8 bytes   "S2S-ATTN"
    4 × u32   format version, bytes of the header, bytes of the payload, CRC-32 of both
    header    JSON in UTF-8, filled up with spaces to a multiple of 4 bytes; `tensors` lists each
              with `name`, `shape`, `dtype`, `offset` into the payload; the rest is `export`'s
    payload   the tensors, row by row, each filled up with zeros to a multiple of 4 bytes

A tensor of dtype int8 is one float32 scale a row, then the rows as whole numbers from −127 to
127: weight = scale × number. Nothing here knows what the tensors are for.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

MAGIC, VERSION = b"S2S-ATTN", 1
PROLOGUE = struct.Struct("<8s4I")
DTYPES = ("float16", "float32", "int8")

Floats = npt.NDArray[np.float32]


def write_file(header: Mapping[str, Any], weights: Mapping[str, Tensor], dtype: str) -> bytes:
    """The file; `tensors` is added to the header. The same arguments give the same bytes.

    Args:
        header: what JSON can hold.
        weights: tensors by name; all become float32 first.
        dtype: "float16", "float32", or "int8" (matrices only; vectors stay float32).

    Raises:
        ValueError: `dtype` is unknown, or a number is not finite or too large for it.
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {list(DTYPES)}, got {dtype!r}")
    tensors, payload = [], b""
    for name, value in weights.items():
        weight = value.detach().cpu().to(torch.float32).numpy()
        kind, packed = _pack(name, weight, dtype)
        tensors.append(
            {"name": name, "shape": list(weight.shape), "dtype": kind, "offset": len(payload)}
        )
        payload += packed + bytes(-len(packed) % 4)
    whole = {**header, "tensors": tensors}
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 4)
    prologue = (VERSION, len(text), len(payload), zlib.crc32(text + payload))
    return PROLOGUE.pack(MAGIC, *prologue) + text + payload


def read_file(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and payload of a file whose checksum is right.

    Raises:
        ValueError: the bytes are no model file, cut off, damaged or of another version.
    """
    if not MAGIC.startswith(data[:8]):
        raise ValueError(
            f"not a model file: expected it to begin with {MAGIC.hex(' ')}, got {data[:8].hex(' ')}"
        )
    if len(data) < PROLOGUE.size:
        raise ValueError(f"the file was cut off: it has {len(data)} bytes of {PROLOGUE.size}")
    _, version, header_size, payload_size, expected = PROLOGUE.unpack_from(data)
    if version != VERSION:
        why = "made by a newer program" if version > VERSION else "which never was"
        raise ValueError(f"the file has format version {version}, {why}; expected {VERSION}")
    size = PROLOGUE.size + header_size + payload_size
    if len(data) != size:
        what = "was cut off" if len(data) < size else "goes on too long"
        raise ValueError(f"the file {what}: it has {len(data)} bytes, expected {size}")
    rest = data[PROLOGUE.size :]
    if zlib.crc32(rest) != expected:
        raise ValueError(
            f"the file is damaged: its checksum is {zlib.crc32(rest):08x}, expected {expected:08x}"
        )
    try:
        header = json.loads(rest[:header_size].decode("utf-8"))
    except (ValueError, RecursionError) as error:  # bad UTF-8, bad JSON, a thousand brackets
        raise ValueError(f"the file's header is wrong: {error}") from error
    if not isinstance(header, dict):
        raise ValueError(f"the file's header is wrong: expected an object, got {header!r:.40}")
    return header, rest[header_size:]


def unpack(entry: dict[str, Any], payload: bytes) -> Tensor:
    """The tensor of one line of the header's table, as float32.

    Raises:
        KeyError: the line lacks an entry.
        ValueError: what it says can't be, or lies outside the payload, or a number isn't finite.
    """
    shape, dtype, offset = entry["shape"], entry["dtype"], entry["offset"]
    if dtype not in DTYPES or not all(type(n) is int and n >= 0 for n in [offset, *shape]):
        raise ValueError(f"tensor {entry['name']} can't be {shape} of {dtype!r} at {offset!r}")
    if dtype == "int8" and len(shape) != 2:
        raise ValueError(f"tensor {entry['name']} is int8 and must be a matrix, not {shape}")
    count, size = math.prod(shape), size_of(entry)
    rows = shape[0] if dtype == "int8" else 0
    if offset + size > len(payload):
        raise ValueError(f"tensor {entry['name']} ends at {offset + size} of {len(payload)} bytes")
    if dtype != "int8":
        values = np.frombuffer(payload, f"<f{size // max(count, 1)}", count, offset)
        return _finite(entry["name"], values.astype(np.float32).reshape(shape))
    scales = np.frombuffer(payload, "<f4", rows, offset).astype(np.float32)[:, None]
    numbers = np.frombuffer(payload, "i1", count, offset + 4 * rows).astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):  # told of in _finite
        return _finite(entry["name"], numbers.reshape(rows, -1) * scales)


def _finite(name: str, values: Floats) -> Tensor:
    if not np.isfinite(values).all():
        bad = values[~np.isfinite(values)][0]
        raise ValueError(f"tensor {name} holds {bad}; only finite weights can be read")
    return torch.from_numpy(values)


def size_of(entry: dict[str, Any]) -> int:
    """Bytes of a tensor that is as `unpack` wants it, those that fill it up not counted."""
    shape, dtype = entry["shape"], entry["dtype"]
    scales = 4 * shape[0] if dtype == "int8" else 0
    return scales + math.prod(shape) * {"float16": 2, "float32": 4, "int8": 1}[dtype]


def _pack(name: str, weight: Floats, dtype: str) -> tuple[str, bytes]:
    """The dtype that a tensor really gets, and its bytes."""
    if not np.isfinite(weight).all():
        bad = weight[~np.isfinite(weight)][0]
        raise ValueError(f"tensor {name} holds {bad}; only finite weights can be written")
    if dtype == "int8" and weight.ndim == 2:
        scales = np.abs(weight).max(axis=1, keepdims=True) / np.float32(127)
        # a row of zeros, or so small that its scale is 0, stays 0
        shares = np.divide(weight, scales, out=np.zeros_like(weight), where=scales > 0)
        numbers = np.rint(shares).clip(-127, 127).astype("i1")
        return dtype, scales.astype("<f4").tobytes() + numbers.tobytes()
    if dtype == "float16":
        largest = float(np.abs(weight).max())
        if largest >= 65520:  # what rounds to more than the largest half-precision number
            raise ValueError(
                f"tensor {name} holds {largest:g}, too large for float16 (65504); use float32"
            )
        return dtype, weight.astype("<f2").tobytes()
    return "float32", weight.astype("<f4").tobytes()
