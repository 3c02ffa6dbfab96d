"""Links that somebody may have others click, none of which names a place; and documents without cite ids."""

from typing import Any

_ID = "0f3a91b20d4c4e18"
_LINK = f"webrag://cite/{_ID}.1200-1352"

HOSTILE_LINKS = [
    # Nothing, or not ours.
    "",
    " ",
    "<>",
    "[]",
    "webrag:",
    "webrag://",
    "webrag://cite/",
    "webrag://document/",
    "webrag://other/0f3a91b20d4c4e18",
    "http://cite/0f3a91b20d4c4e18",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    f"https://example.org/{_LINK}",
    # As an option of a program.
    "-",
    "--",
    "--help",
    "--version",
    "--platform=offscreen:fontconfig",
    "-stylesheet=/etc/passwd",
    f"--print {_LINK}",
    f"-{_LINK}",
    f"{_LINK} --help",
    f"{_LINK}\n--json",
    # For a shell, a path, or SQL.
    f"{_LINK};touch /tmp/harmed",
    f"{_LINK}$(touch /tmp/harmed)",
    f"{_LINK}`touch /tmp/harmed`",
    f"{_LINK}|sh",
    f"{_LINK}&calc.exe",
    f'{_LINK}"; DROP TABLE sources; --',
    f"webrag://cite/{_ID}' OR '1'='1",
    f"webrag://cite/{_ID}%27",
    "webrag://cite/../../etc/passwd",
    f"webrag://cite/..%2f{_ID}",
    f"webrag://cite/{_ID}/../../x",
    "webrag://cite/%",
    "webrag://cite/________________",
    "webrag://document/%' OR true --",
    "webrag://document/0f3a91b2",
    # Other parts of an address.
    f"webrag://user:secret@cite/{_ID}",
    f"webrag://cite:80/{_ID}",
    f"{_LINK}?home=/tmp/other",
    f"{_LINK}#--print",
    f"webrag:cite/{_ID}",
    f"webrag:///cite/{_ID}",
    f"webrag://cite//{_ID}",
    f"web+rag://cite/{_ID}",
    # Ranges that are none.
    f"{_ID}.",
    f"{_ID}.5",
    f"{_ID}.5-",
    f"{_ID}.-5-10",
    f"{_ID}.10-10",
    f"{_ID}.10-5",
    f"{_ID}.0-2147483649",
    f"{_ID}.0-9999999999",
    f"{_ID}.0-99999999999999999999",
    f"{_ID}.0x10-0x20",
    f"{_ID}.1e3-1e4",
    f"{_ID}.1_0-2_0",
    # Characters that pass for others, or end something.
    f"{_ID}.\u0661-\u0662",
    f"{_ID}.\uff11-\uff12",
    f"{_ID}\0.1-2",
    f"{_LINK}\0",
    f"{_LINK}\x1b]0;harmed\x07",
    f"\u202e{_LINK}",
    f"\ufeff{_LINK}",
    f"\ud800{_LINK}",
    "webrag://c\u0131te/0f3a91b20d4c4e18",
    "0f3a91b20d4c4e1\u0430",
    "0f3a91b20d4c4e1",
    "0f3a91b20d4c4e188",
    "0f3a91b2-0d4c4e18",
    f"<{_LINK}]",
    f"<<{_LINK}>>",
    f"{_LINK} {_LINK}",
    # Long.
    f"{_LINK}{'0' * 100}",
    f"webrag://cite/{'a' * 100_000}",
    " " * 100_000 + _LINK,
]


def without_cite_ids(plain: Any) -> Any:
    """What a command prints, as the library's own models have it."""
    if isinstance(plain, list):
        return [without_cite_ids(one) for one in plain]
    if isinstance(plain, dict):
        return {name: without_cite_ids(value) for name, value in plain.items() if name != "cite_id"}
    return plain
