"""``python -m benchmarks``: every benchmark, as Markdown tables."""

from benchmarks import embedding, indexing, searching, space_move, starting

for benchmark in (starting, embedding, indexing, space_move, searching):
    print(benchmark.run(), flush=True)
