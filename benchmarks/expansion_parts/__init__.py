"""Parts of ``benchmarks/expansion.py``: the pages of a package, questions of them, a library that takes them in."""
