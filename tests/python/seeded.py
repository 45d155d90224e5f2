"""What tests that draw begin with: where they draw from, and on which device. PAIRMARK_SEED repeats a run."""
import os
import sys
import time

import numpy

seed = int(os.environ.get("PAIRMARK_SEED") or time.time_ns() % 2**31)
print(f"PAIRMARK_SEED={seed}", file=sys.stderr)
random = numpy.random.default_rng(seed)
short = bool(os.environ.get("TESTS_ARE_SHORT"))  # tests/lib.sh, at_length
device = os.environ.get("PAIRMARK_TEST_DEVICE", "opencl:0:0")
