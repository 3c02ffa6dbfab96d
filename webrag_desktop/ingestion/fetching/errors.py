"""The errors for everything that can go wrong in fetching a page."""

import errno
import re
import socket
import ssl

from webrag_desktop.errors import (
    FetchError,
    ForbiddenToProgramsError,
    SiteAtRestError,
    TooLargeError,
    UnsafeAddressError,
)

_SAVE_IT = "Open the page in a browser, save it, and add the saved file."
_TRY_LATER = "Try again later; nothing else is affected."
UNSTATED_REST_SECONDS = 30.0  # for a site that has too much to do (429) and does not say for how long
# What httpcore and h11 say of a server that hangs up; all else they refuse is an answer against the rules.
_ENDED_EARLY = re.compile("disconnected|closed connection")
_CHECK_ADDRESS = "Check the address for typing mistakes."
_SIGN_IN = ("The site asks for a sign-in", _SAVE_IT)
_TEXT_STAYS = "The text that was read before stays."
_NO_PAGE = ("The site has no page at this address", _CHECK_ADDRESS)
_REFUSALS = {
    401: _SIGN_IN,
    403: ("The site shows this page only in a browser, or after a sign-in", _SAVE_IT),
    404: _NO_PAGE,
    407: _SIGN_IN,
    410: _NO_PAGE,
    451: ("The site may not show this page for legal reasons", _SAVE_IT),
}


def refused_status(status: int, rest: float | None = None) -> FetchError:
    """The error for a response status other than success; ``rest`` are the seconds of pause that the site asks for."""
    if status in _REFUSALS:
        message, hint = _REFUSALS[status]
        return FetchError(f"{message} ({status})", hint)
    if status in {408, 425, 429}:
        unstated = UNSTATED_REST_SECONDS if status == 429 else None
        after = unstated if rest is None else rest
        return _passing(f"The site asks to come back later ({status})", after=after)
    if status >= 500:
        return _passing(f"The site has a fault of its own ({status})", after=rest)
    return FetchError(f"The site refused to send the page ({status})", _SAVE_IT)


def leads_to_paused_site(address: str, rest: float) -> SiteAtRestError:
    """The error for a redirect to a site that asked for a pause, of which ``rest`` seconds remain."""
    message = "The address leads to a site that asked to come back later"
    return SiteAtRestError(message, _TRY_LATER, transient=True, retry_after=rest, address=address)


FORBIDDEN_TO_PROGRAMS = "The site asks programs that follow links not to fetch this page (robots.txt)"


def forbidden_to_programs(address: str) -> ForbiddenToProgramsError:
    """The error for a link that the site does not let programs follow by themselves."""
    hint = f"If you want it all the same, add “{address}” yourself."
    return ForbiddenToProgramsError(FORBIDDEN_TO_PROGRAMS, hint)


def no_rules(error: FetchError, address: str, rest: float | None) -> FetchError:
    """The error for links to a site whose robots.txt, at ``address``, could not be had, ``error`` being why.

    Where that may pass, it is requested again after ``rest`` seconds; None where the site named no time.
    """
    if isinstance(error, UnsafeAddressError):
        return UnsafeAddressError(error.message, error.hint)
    message = f"The site's robots.txt cannot be had: {error.message}"
    if not error.transient:
        return FetchError(message, error.hint, address=address)
    return SiteAtRestError(
        message, _TRY_LATER, transient=True, retryable=True, retry_after=rest, address=address
    )


def link_leads_off_site(address: str) -> FetchError:
    """The error for a link that was to stay on its site, and whose page leads to ``address`` on another one."""
    return FetchError("The link leads to another site", f"If you want that page, add “{address}” yourself.")


def leads_inside(host: str) -> UnsafeAddressError:
    """The error for a page of the internet that leads to ``host``, inside the user's network."""
    return UnsafeAddressError(
        f"The page leads to {host}, an address inside this computer or its network",
        "Nothing was opened there. If you meant that address, add it yourself.",
    )


def leads_to_another_computer(host: str) -> UnsafeAddressError:
    """The error for a page inside the user's network that leads to ``host``, another computer in it."""
    return UnsafeAddressError(
        f"The page leads to {host}, an address on another computer inside this network",
        "Nothing was opened there. If you meant that address, add it yourself.",
    )


def came_inside(host: str) -> UnsafeAddressError:
    """The error for an address that has moved into the user's network since it was added."""
    return UnsafeAddressError(
        f"{host} now leads to an address inside this computer or its network, and is not known to have done so before",
        "Nothing was opened there. If you mean that address, add it again; where it is known to have led elsewhere, "
        "remove this first.",
    )


def too_large(limit: int, what: str = "page") -> TooLargeError:
    """The error for a page or file above ``limit`` bytes."""
    size = f"{limit / 1_000_000:,.0f} MB" if limit >= 1_000_000 else f"{limit:,} bytes"
    return TooLargeError(f"The {what} is larger than {size}", "Add the part you need as a file.")


def too_slow(seconds: float) -> FetchError:
    """The error for a site that did not answer, or did not finish, in time."""
    return _passing(f"The site did not answer in {seconds:g} s")


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
            retryable=cause.errno == socket.EAI_AGAIN,
        )
    if isinstance(cause, ssl.SSLError):
        return _insecure(cause, host)
    if isinstance(cause, OSError) and cause.errno == errno.ECONNREFUSED:
        return _passing(f"{host} refused the connection")
    if isinstance(error, httpcore.ConnectError):
        return _passing(f"{host} could not be reached")
    if isinstance(error, httpcore.RemoteProtocolError) and not _ENDED_EARLY.search(str(error)):
        return FetchError("The site's answer does not keep to the rules of the web", _SAVE_IT, transient=True)
    return _passing("The connection broke off before the whole page had arrived")


def _insecure(cause: ssl.SSLError, host: str) -> FetchError:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return FetchError(f"The certificate of {host} could not be verified", _SAVE_IT)
    return FetchError(f"No secure connection to {host} could be made", _SAVE_IT, transient=True)


def cause_in_log(error: Exception) -> str:
    """What a failure below HTTP was, for the log: broken headers, which may contain secrets, are not repeated."""
    cause = _cause(error)
    return repr(cause) if isinstance(cause, OSError) else type(cause).__name__


def too_many_headers(limit: int) -> FetchError:
    """The error for an answer that begins with more than ``limit`` header fields."""
    return FetchError(f"The site's answer begins with more than {limit} header fields", _SAVE_IT)


def leads_elsewhere(address: str) -> FetchError:
    """The error for a document whose address has come to lead to ``address``, which another document answers to."""
    return FetchError(
        "The address now leads to another page, which is in the library too", f"That page is “{address}”."
    )


def postponed(error: FetchError) -> FetchError:
    """What is shown while a page waits for the next request to its site, which answered with ``error``."""
    return FetchError(
        error.message,
        "It is asked again by itself; everything else goes on.",
        transient=True,
        retryable=error.retryable,
        retry_after=error.retry_after,
    )


def beside_the_old_text(error: FetchError) -> FetchError:
    """The same about a page whose text was read before; no typing mistake keeps that from arriving."""
    message, hint = error.message, f"{error.hint} {_TEXT_STAYS}"
    if message.startswith(_NO_PAGE[0]):
        message = message.replace(_NO_PAGE[0], "The page is gone from this address", 1)
        hint = f"{_TEXT_STAYS} If the page has moved, add its new address."
    return FetchError(
        message,
        hint,
        transient=error.transient,
        retryable=error.retryable,
        retry_after=error.retry_after,
    )


def _passing(message: str, *, after: float | None = None) -> FetchError:
    """``after`` are the seconds that the site named; 0 of them is as good as none."""
    return FetchError(message, _TRY_LATER, transient=True, retryable=True, retry_after=after or None)


def _cause(error: BaseException) -> BaseException:
    """The first failure of the operating system or of TLS in the chain, else the error itself."""
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, OSError):
            return link
        link = link.__cause__ or link.__context__
    return error
