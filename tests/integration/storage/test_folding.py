"""The database folds letters as the program does."""

import pytest

from webrag_desktop.storage.database import Database
from webrag_desktop.text.folding import folded

TEXTS = {
    "Gutta-percha, 1858": "gutta-percha, 1858",
    "M\u00fcller": "muller",
    "Mu\u0308ller": "muller",
    "\u00c5ngstr\u00f6m \u212b": "angstrom a",
    "\u0130stanbul": "istanbul",
    "\u1ec7": "e",
    "\u041c\u043e\u0441\u041a\u0412\u0410 \u0439": "\u043c\u043e\u0441\u043a\u0432\u0430 \u0438",
    "\u039f\u0394\u039f\u03a3 \u03bf\u03b4\u03cc\u03c2": "\u03bf\u03b4\u03bf\u03c3 \u03bf\u03b4\u03bf\u03c3",
    "\ufb01nal\u00a0\u00b2": "final 2",
    "\u304c\uac01": "\u304b\u3099\u1100\u1161\u11a8",
    "": "",
}


@pytest.mark.parametrize("text", TEXTS)
def test_both_fold_a_text_alike(database: Database, text: str) -> None:
    with database.connection() as conn:
        assert conn.execute("SELECT webrag_folded(%s)", [text]).fetchone() == (TEXTS[text],)
    assert folded(text) == TEXTS[text]
