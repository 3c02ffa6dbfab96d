"""Parameters of addresses that say how a visitor came, and nothing about the page.

The list is our own, from what advertisers, mailers and analytics document about their links. Only names that cannot
well mean anything else stand in it: two addresses that differ in ``gid``, ``ref`` or ``source`` are two pages, since
two pages that become one are worse than one page that stands in the library twice.
"""

from typing import Final

PREFIXES: Final = (
    "utm_",
    "mtm_",
    "matomo_",
    "piwik_",
    "hsa_",
    "__hs",
    "_hs",
    "guce_referrer",
    "fb_action_",
    "oly_",
)
"""Google Analytics and all who took over its names; Matomo; HubSpot; Yahoo; Facebook; Omeda."""

NAMES: Final = frozenset(
    (
        # Clicks on advertisements
        "gclid", "gclsrc", "gbraid", "wbraid", "gad_source", "gad_campaignid", "dclid", "srsltid",  # Google
        "fbclid", "fb_ref", "fb_source", "msclkid", "ttclid", "twclid", "li_fat_id", "epik", "rdt_cid", "yclid",
        "ysclid", "_openstat", "qclid", "sccid", "irclickid", "rb_clickid", "wickedid",
        # Shares
        "igsh", "igshid", "ref_src", "ref_url", "trk", "trkinfo", "trackingid",
        # Mailings
        "mc_cid", "mc_eid", "mkt_tok", "vero_id", "vero_conv", "ml_subscriber", "ml_subscriber_hash",
        "ck_subscriber_id", "dm_i", "_kx", "hsctatracking",
        # Analytics
        "_ga", "_gl", "s_cid", "cmpid", "at_medium", "at_campaign", "at_custom1", "at_custom2", "at_custom3",
        "at_custom4", "pk_campaign", "pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "pk_cid", "spm",
    )
)  # fmt: skip
"""Names in lower case."""


def only_tracks(name: str) -> bool:
    """Whether a parameter of that name, unescaped, tells nothing about the page."""
    lower = name.lower()
    return lower in NAMES or lower.startswith(PREFIXES)
