"""``python -m benchmarks``: every benchmark, as Markdown tables."""

from benchmarks import indexing, searching, starting

for benchmark in (starting, indexing, searching):
    print(benchmark.run(), flush=True)
