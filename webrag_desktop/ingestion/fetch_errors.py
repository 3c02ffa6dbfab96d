"""The words for everything that can keep a page from arriving."""

import errno
import socket
import ssl

from webrag_desktop.errors import FetchError

_SAVE_IT = "Open the page in a browser, save it, and add the saved file."
_TRY_LATER = "Try again later; nothing else is affected."
_CHECK_ADDRESS = "Check the address for typing mistakes."


def refused_status(status: int) -> FetchError:
    """The error for a response status other than success."""
    if status in {401, 403, 407}:
        return FetchError(f"The site asks for a sign-in ({status})", _SAVE_IT)
    if status in {404, 410}:
        return FetchError(f"The site has no page at this address ({status})", _CHECK_ADDRESS)
    if status in {408, 425, 429}:
        return FetchError(f"The site asks to come back later ({status})", _TRY_LATER, transient=True)
    if status == 451:
        return FetchError(f"The site may not show this page for legal reasons ({status})", _SAVE_IT)
    if status >= 500:
        return FetchError(f"The site has a fault of its own ({status})", _TRY_LATER, transient=True)
    return FetchError(f"The site refused to send the page ({status})", _SAVE_IT)


def too_large(limit: int, what: str = "page") -> FetchError:
    """The error for a page or file above ``limit`` bytes."""
    size = f"{limit / 1_000_000:,.0f} MB" if limit >= 1_000_000 else f"{limit:,} bytes"
    return FetchError(f"The {what} is larger than {size}", "Add the part you need as a file.")


def too_slow(seconds: float) -> FetchError:
    """The error for a site that did not answer, or did not finish, in time."""
    return FetchError(f"The site did not answer in {seconds:g} s", _TRY_LATER, transient=True)


def not_finished(seconds: float) -> FetchError:
    """The error for a body that keeps coming past the deadline."""
    return FetchError(f"The page did not arrive whole in {seconds:g} s", _TRY_LATER, transient=True)


def failed_connection(error: Exception, host: str) -> FetchError:
    """The error for a failure below HTTP: names, sockets, TLS, broken protocol."""
    import httpcore  # long to import, and those who only read files need none of it

    cause = _cause(error)
    if isinstance(cause, socket.gaierror):
        return FetchError(
            f"No site named {host} was found",
            "Check the address for typing mistakes, and the connection to the internet.",
            transient=True,
        )
    if isinstance(cause, ssl.SSLCertVerificationError):
        return FetchError(f"The certificate of {host} could not be verified", _SAVE_IT)
    if isinstance(cause, ssl.SSLError):
        return FetchError(f"No secure connection to {host} could be made", _SAVE_IT, transient=True)
    if isinstance(cause, OSError) and cause.errno == errno.ECONNREFUSED:
        return FetchError(f"{host} refused the connection", _TRY_LATER, transient=True)
    if isinstance(error, httpcore.ConnectError):
        return FetchError(f"{host} could not be reached", _TRY_LATER, transient=True)
    return FetchError(
        "The connection broke off before the whole page had arrived", _TRY_LATER, transient=True
    )


def _cause(error: BaseException) -> BaseException:
    """The first failure of the operating system or of TLS in the chain, else the error itself."""
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, OSError):
            return link
        link = link.__cause__ or link.__context__
    return error
