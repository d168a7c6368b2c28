"""What Kibitz costs on this machine: `python -m tests.bench` prints one JSON object. Goals stand beside the figures.

One core, one thread: the process binds itself to one processor, and the libraries that would start threads are told not
to before they are loaded.
"""

import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
