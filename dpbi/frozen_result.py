"""Results that nobody can change: their arrays are read-only when made, and again when unpickled or copied."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = TypeVar("Array", bound=NDArray[Any])


def frozen(array: Array) -> Array:
    """The array read-only for good: a view of read-only numbers, which no flag makes writable again.

    What shares its numbers with another array that can be written to is copied; else nothing is.
    """
    if isinstance(array.base, np.ndarray) and not (array.flags.writeable or array.base.flags.writeable):
        return array
    own = array if array.base is None else array.copy()
    own.setflags(write=False)
    return own.view()


class FrozenResult:
    """What a function found out, its arrays frozen: a result is kept and shared, and its files are written from it.

    A dataclass that is a result derives from it; what it computes later and keeps, it freezes itself.
    """

    def __post_init__(self) -> None:
        self._freeze()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """After unpickling and copying, which make all arrays anew."""
        self.__dict__.update(state)
        self._freeze()

    def _freeze(self) -> None:
        for name, value in self.__dict__.items():
            self.__dict__[name] = _frozen_parts(value)


def _frozen_parts(value: Any) -> Any:
    """The arrays of lists and tuples too; a list becomes a tuple."""
    if isinstance(value, np.ndarray):
        return frozen(value)
    if type(value) in (list, tuple) and any(isinstance(part, np.ndarray) for part in value):
        return tuple(map(_frozen_parts, value))
    return value
