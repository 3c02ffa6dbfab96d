import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.errors import UnsafeAddressError
from webrag_desktop.ingestion.fetching.network import Bounds, Deadline, GuardedBackend, Network, classify


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("8.8.8.8", "public"),
        ("2001:4860:4860::8888", "public"),
        ("192.0.0.8", "private"),
        ("192.0.0.170", "private"),
        ("3fff::1", "private"),
        ("5f00::1", "private"),
        ("200::1", "private"),
        ("100:0:0:1::1", "private"),
        ("fe80::1%eth0", "link-local"),
        ("::ffff:169.254.169.254", "link-local"),
        ("2002:a9fe:a9fe::", "link-local"),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", "loopback"),
        ("2606:4700::1111", "public"),
        ("127.0.0.1", "loopback"),
        ("127.255.0.3", "loopback"),
        ("0.0.0.0", "loopback"),
        ("::1", "loopback"),
        ("::", "loopback"),
        ("::ffff:127.0.0.1", "loopback"),
        ("64:ff9b::127.0.0.1", "loopback"),
        ("2002:7f00:1::", "loopback"),
        ("10.1.2.3", "private"),
        ("172.31.255.1", "private"),
        ("192.168.1.1", "private"),
        ("::ffff:192.168.1.1", "private"),
        ("fd12::1", "private"),
        ("fec0::1", "private"),
        ("198.18.0.1", "private"),
        ("64:ff9b:1::8.8.8.8", "private"),
        ("64:ff9b:1:2:3:4:5:6", "private"),
        ("::ffff:0:127.0.0.1", "loopback"),
        ("::ffff:0:8.8.8.8", "public"),
        ("169.254.169.254", "link-local"),
        ("100.64.0.1", "shared"),
        ("224.0.0.1", "never"),
        ("255.255.255.255", "never"),
        ("ff02::1", "never"),
        ("240.0.0.1", "never"),
        ("172.32.0.1", "public"),
        ("100.128.0.1", "public"),
    ],
)
def test_where_addresses_lie(address: str, kind: str) -> None:
    assert classify(address) == kind


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_inside_an_ipv6_address_counts_as_itself(ip: ipaddress.IPv4Address) -> None:
    assert classify(f"::ffff:{ip}") == classify(str(ip))
    assert classify(f"64:ff9b::{ip}") == classify(str(ip))


@given(st.ip_addresses())
def test_what_python_calls_private_is_never_public(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    if ip.is_private or ip.is_loopback or ip.is_link_local or ip.is_multicast or ip.is_unspecified:
        assert classify(str(ip)) != "public"


@pytest.mark.parametrize(
    "host",
    [
        "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost", "a.localhost", "::1", "127.0.0.1.",
        "LOCALHOST.",
        "ip6-localhost", "localhost.localdomain", "::ffff:127.0.0.1", "0", "127.0.1",
    ],
)  # fmt: skip
def test_numbers_are_checked_in_every_spelling(host: str) -> None:
    backend = GuardedBackend(Network(), Bounds(frozenset({"public"})), Deadline(5))
    with pytest.raises(UnsafeAddressError):
        backend.check_number(host)
    backend.check_number("example.org")
    with pytest.raises(UnsafeAddressError):
        backend.connect_unix_socket("/run/docker.sock")


@given(st.ip_addresses(v=4))
def test_translated_addresses(ip: ipaddress.IPv4Address) -> None:
    assert classify(f"::ffff:0:{ip}") == classify(str(ip))
    assert classify(f"64:ff9b:1::{ip}") == "private"
