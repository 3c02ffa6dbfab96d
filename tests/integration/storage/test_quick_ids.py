"""Ids are read as the driver reads them, only quicker."""

import pickle
from uuid import UUID, uuid4

import pytest

from webrag_desktop.storage.database import Database


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("given", [uuid4(), UUID(int=0), UUID(int=2**128 - 1)])
def test_an_id_comes_back_as_it_was_stored(database: Database, given: UUID, *, binary: bool) -> None:
    with database.connection() as conn:
        row = conn.cursor(binary=binary).execute("SELECT %s, ARRAY[%s, NULL]", [given, given]).fetchone()
    assert row is not None
    assert row == (given, [given, None])
    assert repr(row[0]) == repr(given)
    assert {row[0]: 1}[given] == 1
    assert pickle.loads(pickle.dumps(row[0])) == given
    assert row[0].is_safe is given.is_safe
