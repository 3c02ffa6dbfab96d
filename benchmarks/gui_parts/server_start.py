"""Starts the stopped server: prints the seconds, and the processor's of this process, without its start and imports."""

import time

from webrag_desktop.config import load_settings
from webrag_desktop.stack.embedded import EmbeddedStack

if __name__ == "__main__":
    stack = EmbeddedStack(load_settings().stack_options())
    start, busy = time.perf_counter(), time.process_time()
    stack.open()
    print(time.perf_counter() - start, time.process_time() - busy)
    stack.close()
