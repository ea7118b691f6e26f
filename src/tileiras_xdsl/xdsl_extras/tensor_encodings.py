"""Encodings of tensors that only some shapes can have, as MLIR's `VerifiableTensorEncoding`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException


class VerifiableTensorEncoding(ABC):
    """An encoding that says which tensors can have it."""

    @abstractmethod
    def verify_shape(self, shape: Sequence[int]) -> None:
        """Raises `VerifyException` if a tensor of a shape cannot have it."""


@dataclass(frozen=True)
class VerifiedEncodings(OpTrait):
    """
    Makes the verifier of an op check the encodings of all tensors in its regions.

    Meant for function-like ops: xDSL's `TensorType` takes any attribute as its encoding.
    """

    def verify(self, op: Operation) -> None:
        # By identity, as hashing a type takes longer than to look at it again.
        seen: set[int] = set()
        for block in op.walk_blocks():
            _verify_encodings(block.args, seen)
            for each in block.ops:
                _verify_encodings(each.results, seen)


def _verify_encodings(values: Iterable[SSAValue], seen: set[int]) -> None:
    for value in values:
        ty = value.type
        if id(ty) not in seen:
            seen.add(id(ty))
            if isinstance(ty, TensorType):
                verify_encoding(ty)


def verify_encoding(ty: TensorType) -> None:
    """Raises `VerifyException` if a tensor has an encoding that its shape cannot have."""
    if isinstance(encoding := ty.encoding, VerifiableTensorEncoding):
        try:
            encoding.verify_shape(ty.get_shape())
        except VerifyException as error:
            raise VerifyException(f"encoding of '{ty}': {error}") from error
