"""Operators that have several of ours, or state, beside LiteRT's reference kernels, one model each; called by tests/peers/peer.

Real results within 1e-5 of the greatest (hybrid ones 1e-6 where they run in integers), whole numbers and codes equal.
Each model is also written again, which gives LiteRT the same to do; what the writer refuses is named below.
"""
import sys

import mapped_recurrent, mapped_others, mapped_stablehlo  # one after the other: they draw from the same random numbers
from mapped_checks import failures, refused

for what, why in refused.items():
    print(f"note  {what} is not written: {why}")
print(f"mapped: {len(failures)} failures")
sys.exit(1 if failures else 0)
