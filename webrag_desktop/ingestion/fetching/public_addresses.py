"""Addresses that somebody else than the user gives, a program for instance: they may lead to the internet alone."""

from urllib.parse import urlsplit

from webrag_desktop.errors import InputError
from webrag_desktop.ingestion.addresses import parse_source
from webrag_desktop.ingestion.fetching.network import assumed_class, classify, resolve_name


def public_address(text: str) -> str:
    """The normalised web address, which is looked up in the network; a name that nobody knows is left to fetching.

    Raises:
        InputError: it is no web address, or leads into this computer or its network.
    """
    kind, address = parse_source(text)
    if kind != "url":
        raise InputError(f"“{text}” is not a web address.", "Give one such as https://example.org/page.")
    parts = urlsplit(address)
    if _leads_inside(parts.hostname or "", parts.port or 443):
        raise InputError(
            f"{address} leads into this computer or its network, which only its user may add.",
            "Add it in the window, or with `webrag add`.",
        )
    return address


def _leads_inside(host: str, port: int) -> bool:
    if assumed_class(host) != "public":
        return True
    try:
        found = resolve_name(host, port)
    except OSError:
        return False
    return any(classify(address) != "public" for address in found)
