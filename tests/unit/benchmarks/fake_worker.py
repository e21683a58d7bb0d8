"""A stand-in for a peer's worker: says what the job's options tell it to, after reading the job."""

import json
import os
import sys
import time

job = json.load(sys.stdin)
how = job["options"]["how"]
if how == "answer":
    print("chatter of the solver")
    print(json.dumps({"status": "optimal", "objective": job["cost_complexity"] * 3, "depth": job["max_depth"],
                      "threads": os.environ["OMP_NUM_THREADS"], "here": os.listdir(".")}))  # fmt: skip
elif how == "crash":
    print("something at /a/folder/of/the/machine/file.py broke", file=sys.stderr)
    sys.exit(3)
elif how == "abort":
    os.abort()
elif how == "nonsense":
    print("[1, 2]")
elif how == "hang":
    time.sleep(60)
