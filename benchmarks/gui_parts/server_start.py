"""Starts the stopped server and nothing else: prints the seconds, the interpreter's start and imports left out."""

import time

from webrag_desktop.config import load_settings
from webrag_desktop.stack.embedded import EmbeddedStack

if __name__ == "__main__":
    stack = EmbeddedStack(load_settings().stack_options())
    start = time.perf_counter()
    stack.open()
    print(time.perf_counter() - start)
    stack.close()
