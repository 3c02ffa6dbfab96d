import re
from pathlib import Path

import psycopg
import pytest

from webrag_desktop.stack.connecting import libpq_variables, variables_given

_LIBRARIES = sorted(Path(psycopg.__file__).parents[1].glob("psycopg_binary.libs/libpq*.so*"))


@pytest.mark.skipif(not _LIBRARIES, reason="the driver's library is looked for in its Linux wheel")
def test_no_variable_that_the_library_reads_is_forgotten() -> None:
    read = {
        name.decode()
        for library in _LIBRARIES
        for name in re.findall(rb"\0(PG[A-Z]{2,})(?=\0)", library.read_bytes())
    }
    assert len(read) > 30
    assert read <= libpq_variables()


def test_only_variables_with_a_value_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in libpq_variables():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PGHOSTADDR", "192.0.2.1")
    monkeypatch.setenv("PGSERVICE", "")
    assert variables_given() == ("PGHOSTADDR",)
