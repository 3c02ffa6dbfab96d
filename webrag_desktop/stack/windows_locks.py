"""``LockFileEx``: what ``flock`` is elsewhere. ``msvcrt.locking`` knows no shared locks."""

import sys

if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _FAIL_IMMEDIATELY = 1
    _EXCLUSIVE = 2
    _LOCK_VIOLATION = 33
    _IO_PENDING = 997

    class _Overlapped(ctypes.Structure):
        _fields_ = (
            ("Internal", ctypes.c_void_p),
            ("InternalHigh", ctypes.c_void_p),
            ("Offset", wintypes.DWORD),
            ("OffsetHigh", wintypes.DWORD),
            ("hEvent", wintypes.HANDLE),
        )

    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _lock_file = _kernel32.LockFileEx
    _lock_file.argtypes = (
        wintypes.HANDLE,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.DWORD,
        ctypes.POINTER(_Overlapped),
    )
    _lock_file.restype = wintypes.BOOL

    def _lock(descriptor: int, flags: int) -> bool:
        handle = msvcrt.get_osfhandle(descriptor)
        if _lock_file(handle, flags, 0, 1, 0, ctypes.byref(_Overlapped())):
            return True
        error = ctypes.get_last_error()
        if error in {_LOCK_VIOLATION, _IO_PENDING}:
            return False
        raise ctypes.WinError(error)

    def attempt(descriptor: int, shared: bool) -> bool:
        """Take the lock if it is free."""
        return _lock(descriptor, _FAIL_IMMEDIATELY | (0 if shared else _EXCLUSIVE))

    def wait(descriptor: int, shared: bool) -> None:
        """Take the lock, however long that takes."""
        _lock(descriptor, 0 if shared else _EXCLUSIVE)
