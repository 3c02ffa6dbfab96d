"""``flock``: locks belong to the open file, so they survive being handed to a child process."""

import fcntl


def attempt(descriptor: int, shared: bool) -> bool:
    """Take the lock if nobody stands in the way."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait(descriptor: int, shared: bool) -> None:
    """Take the lock, however long that needs."""
    fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
