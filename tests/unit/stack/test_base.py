import pickle
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.stack.base import DatabaseAddress, StackOptions


def test_keywords_leave_out_what_is_empty_and_let_extra_win() -> None:
    address = DatabaseAddress("", 0, "me", "", "secret", {"sslmode": "require", "user": "other"})
    assert address.keywords() == {"user": "other", "password": "secret", "sslmode": "require"}


@given(st.text(alphabet="abcXYZ0123456789-_", min_size=8))
def test_secrets_never_show(secret: str) -> None:
    address = DatabaseAddress("h", 1, "u", "d", f"<{secret}>", {"sslpassword": f"<{secret}>"})
    assert f"<{secret}>" not in repr(address)
    assert f"<{secret}>" not in str(address)


def test_database_urls_never_show() -> None:
    assert "pw" not in repr(StackOptions(home=Path("/h"), database_url="postgresql://u:pw@host/d"))


def test_an_address_travels_to_another_process() -> None:
    address = DatabaseAddress("h", 1, "u", "d", "p", {"sslmode": "require"})
    assert pickle.loads(pickle.dumps(address)) == address
    assert hash(address) == hash(pickle.loads(pickle.dumps(address)))
