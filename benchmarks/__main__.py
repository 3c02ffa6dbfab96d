"""``python -m benchmarks``: every benchmark, as Markdown tables."""

from benchmarks import embedding, indexing, searching, starting

for benchmark in (starting, embedding, indexing, searching):
    print(benchmark.run(), flush=True)
