"""All cases, by chapter."""

from tests.hostile import addresses, characters, files, nesting, scripts, sending, sizes, times, types
from tests.hostile.cases import Case

CHAPTERS: dict[str, tuple[Case, ...]] = {
    module.__doc__.strip() if module.__doc__ else "": module.CASES
    for module in (nesting, sizes, times, characters, scripts, types, files, addresses, sending)
}
CORPUS = tuple(case for cases in CHAPTERS.values() for case in cases)
