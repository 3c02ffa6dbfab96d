"""Keys in the system's keyring. The settings file then holds a mark, which says under which name the key lies there.

Without a mark nobody asks the keyring, so it is imported only by who has a key there. A keyring may be locked and
wait for a password: each request has a time limit, and what waits longer is left to a thread that keeps nobody.
"""

import secrets
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, Final, TypeVar

from webrag_desktop.config.declaration import Setting
from webrag_desktop.errors import ConfigurationError

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")
MARK: Final = "keyring:"
SERVICE: Final = "WebRAG Desktop"
PATIENCE: Final = 2.5  # seconds for one request
_RECOMMENDED = 1  # the least priority of a backend that keeps secrets as the system does


class KeyringError(ConfigurationError):
    """The keyring gave no key, or took none."""


def may_lie_in_keyring(setting: Setting) -> bool:
    """Keys do; the address of a database, which may hold a password, is needed before anything else and stays in the
    file: without it another library would be opened."""
    return setting.secret and setting.name.endswith("_API_KEY")


def is_mark(value: str) -> bool:
    """Whether a value of the settings file says that the key lies in the keyring."""
    return value.startswith(MARK)


def has_keyring(patience: float = PATIENCE) -> bool:
    """Whether this system has a keyring that keeps secrets."""
    try:
        return _within(patience, lambda: _backend() is not None)
    except KeyringError:
        return False


def key_of(name: str, mark: str, patience: float = PATIENCE) -> str:
    """The key that lies under a mark; raises KeyringError where it is not to be had."""
    key = _within(patience, lambda: _required().get_password(SERVICE, _place(name, mark)))
    if key is None:
        raise KeyringError(
            f"The system's keyring holds no key for {name} any more.", "Enter the key again in the settings."
        )
    return key


def keep(name: str, key: str, patience: float = PATIENCE) -> str:
    """Put a key into the keyring, under a mark of its own, which is returned; raises KeyringError."""
    mark = f"{MARK}{secrets.token_hex(8)}"
    _within(patience, lambda: _required().set_password(SERVICE, _place(name, mark), key))
    return mark


def forget(name: str, mark: str, patience: float = PATIENCE) -> None:
    """Remove a key from the keyring, where it may be missing; raises KeyringError where that cannot be done."""

    def remove() -> None:
        from keyring.errors import PasswordDeleteError

        backend = _required()
        try:
            backend.delete_password(SERVICE, _place(name, mark))
        except PasswordDeleteError:
            if backend.get_password(SERVICE, _place(name, mark)) is not None:
                raise

    _within(patience, remove)


def _place(name: str, mark: str) -> str:
    return f"{name} {mark.removeprefix(MARK)}"


def _backend() -> "KeyringBackend | None":
    import keyring

    backend = keyring.get_keyring()
    return backend if backend.priority >= _RECOMMENDED else None


def _required() -> "KeyringBackend":
    backend = _backend()
    if backend is None:
        raise KeyringError(
            "This system has no keyring that is in use.",
            "Sign in to your desktop, or enter the key again in the settings: it is then kept in the settings file.",
        )
    return backend


def _within(patience: float, work: Callable[[], T]) -> T:
    """What ``work`` returns, within ``patience`` seconds; whatever a keyring raises is a KeyringError."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
            outcome.set_exception(error)

    Thread(target=run, name="keyring", daemon=True).start()
    try:
        return outcome.result(patience)
    except KeyringError:
        raise
    except TimeoutError:
        raise KeyringError(
            f"The system's keyring did not answer within {patience:g} seconds; it may be locked.",
            "Unlock it and try again. Until then the program works without the key.",
        ) from None
    except Exception as error:
        raise KeyringError(
            f"The system's keyring cannot be used: {type(error).__name__}.",  # its words may quote a key
            "Unlock it and try again, or set the key in the environment.",
        ) from error
