"""``python -m benchmarks``: every benchmark, as Markdown tables."""

from benchmarks import embedding, indexing, refreshing, searching, space_move, starting

for benchmark in (starting, embedding, indexing, refreshing, space_move, searching):
    print(benchmark.run(), flush=True)
