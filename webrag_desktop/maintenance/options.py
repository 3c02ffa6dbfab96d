"""What the user can set of upkeep."""

from dataclasses import dataclass

from webrag_desktop.bounds import bounded


@dataclass(frozen=True, slots=True)
class BinOptions:
    """How many days removed documents rest in the bin; there is no bin without an end, nor removal without a bin."""

    days: int = bounded(30, least=1, most=3650)
