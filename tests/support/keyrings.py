"""Keyrings of this process, as real backends of the library ``keyring``, for tests."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class KeyringHere(KeyringBackend):
    """Keeps keys in memory; while it is ``locked`` it answers nothing, as one that waits for a password."""

    priority = 5

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}
        self.unlocked = threading.Event()
        self.unlocked.set()

    def lock(self) -> None:
        self.unlocked.clear()

    def get_password(self, service: str, username: str) -> str | None:
        self.unlocked.wait()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.unlocked.wait()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.unlocked.wait()
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError("there is none")


@contextmanager
def keyring_here() -> Iterator[KeyringHere]:
    """Have a keyring of this process in the place of the system's."""
    before, here = keyring.get_keyring(), KeyringHere()
    keyring.set_keyring(here)
    try:
        yield here
    finally:
        here.unlocked.set()
        keyring.set_keyring(before)
