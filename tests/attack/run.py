"""``make attack SECONDS=3600``: fresh seeds on all cores; each mismatch is printed as a script that shows it."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import secrets
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from attack.case import Case
from attack.generate import FAST, SLOW, random_case
from attack.laws import Outcome, attack
from attack.shrink import shown_small, smaller_cases

SLOW_SHARE = 0.02
SLOWEST = 5  # cases that are named at the end
MOST_SECONDS = 60  # of the processor for one case, and again for making it small; the process ends then
GRACE = 60.0  # seconds of the clock that cases which are running at the end still have
ENDED = -1  # instead of the number of a case
SHOWN = 3  # scripts of one law and method; more are counted


def drawn(seed: int, worker: int, number: int) -> Case:
    """The case of these three numbers, the same on every machine."""
    rng = np.random.default_rng([seed, worker, number])
    return random_case(rng, SLOW if rng.random() < SLOW_SHARE else FAST)


def shown(case: Case, law: str, seconds: float = 20.0) -> str:
    """A mismatch as a script, made small first."""
    return shown_small(case, law, seconds, lambda case: attack(case).mismatches, smaller_cases)


@dataclass(frozen=True)
class Attack:
    """Where cases come from, what is compared, and how a mismatch is shown; a case has a `method` and a `script`."""

    drawn: Callable[[int, int, int], Any]  # of seed, worker and number
    attack: Callable[[Any], Outcome]
    shown: Callable[[Any, str], str]  # with the law that is broken


SMALL = Attack(drawn, attack, shown)


def allow(seconds: int) -> None:
    """Let this process use so much more of the processor; then it ends, whatever code is running."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1 + seconds, hard))


def end_with_parent() -> None:
    """End this process as soon as the one that started it has ended, in whatever way: nobody reads what it finds."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        assert parent is not None  # of a worker
        parent.join()
        os._exit(1)

    if parent is not None:
        threading.Thread(target=wait, daemon=True).start()


def work(seed: int, worker: int, start: int, end: float, number: Any, queue: Any, of: Attack = SMALL) -> None:
    """Attack until the time is over; says in `number` which case is running, for the case that it is the last."""
    end_with_parent()
    os.environ["OMP_NUM_THREADS"] = "1"
    counts: Counter[str] = Counter()
    while time.time() < end:
        number.value = start
        case = of.drawn(seed, worker, start)
        allow(MOST_SECONDS)
        begun, clock = time.process_time(), time.monotonic()
        outcome = of.attack(case)
        queue.put(("case", case.method, outcome.refused))
        taken = (time.monotonic() - clock, time.process_time() - begun)
        queue.put(("seconds", (*taken, worker, start, case.method), ""))
        allow(MOST_SECONDS)
        for mismatch in outcome.mismatches:
            key = f"{mismatch.law} ({case.method})"
            counts[key] += 1
            script = of.shown(case, mismatch.law) if counts[key] <= 1 else ""
            queue.put(
                ("mismatch", key, f"# seed {seed}, worker {worker}, case {start}\n{script}" if script else "")
            )
        start += 1
    queue.close()
    queue.join_thread()  # all of it is told
    number.value = ENDED


def run(seconds: float, seed: int, jobs: int, of: Attack = SMALL) -> int:
    """Attack for some seconds and say what was found; returns the number of mismatches."""
    end = time.time() + seconds
    context = multiprocessing.get_context("spawn")
    queue: Any = context.Queue()
    numbers = [context.Value("q", 0) for _ in range(jobs)]

    def begin(worker: int, start: int) -> Any:
        process = context.Process(target=work, args=(seed, worker, start, end, numbers[worker], queue, of))
        process.start()
        return process

    print(f"seed {seed}, {jobs} processes, {seconds:g} s", flush=True)
    began, processes = time.time(), [begin(worker, 0) for worker in range(jobs)]
    cases: Counter[str] = Counter()
    found: Counter[str] = Counter()
    printed: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    # Seconds of clock and processor; worker, case, method.
    slowest: list[tuple[float, float, int, int, str]] = []
    told = time.time()
    running = True
    while running or not queue.empty():
        # What a case has started, such as workers of joblib, can keep a process for a minute after its last case.
        running = any(p.is_alive() and n.value != ENDED for p, n in zip(processes, numbers, strict=True))
        while not queue.empty():
            kind, key, text = queue.get()
            if kind == "seconds":
                slowest = sorted([*slowest, key], reverse=True)[:SLOWEST]
                continue
            if kind == "case":
                cases[key] += 1
                refused[text[:70]] += bool(text)
                continue
            found[key] += 1
            if text and printed[key] < SHOWN:
                printed[key] += 1
                print(f"\n{text}", flush=True)
        for worker, process in enumerate(processes):
            last = numbers[worker].value
            if last != ENDED and not process.is_alive() and process.exitcode != 0:  # say on which case
                running = True
                took_too_long = process.exitcode == -signal.SIGXCPU
                law = f"took too long, {MOST_SECONDS} s" if took_too_long else "the interpreter died"
                found[law] += 1
                script = of.drawn(seed, worker, last).script(law)
                print(f"\n# seed {seed}, worker {worker}, case {last}\n{script}", flush=True)
                processes[worker] = begin(worker, last + 1)
        if time.time() > end + GRACE:
            for worker, process in enumerate(processes):
                if process.is_alive() and numbers[worker].value != ENDED:
                    print(f"cut off {GRACE:g} s after the end: worker {worker}, case {numbers[worker].value}")
            break
        if time.time() - told > 60:
            told = time.time()
            print(f"{sum(cases.values())} cases, {sum(found.values())} mismatches", flush=True)
        time.sleep(0.05)
    for process in processes:
        process.kill()
    total = sum(cases.values())
    print(
        f"\n{total} cases in {time.time() - began:.0f} s, {total / (time.time() - began):.0f} a second:",
        end=" ",
    )
    print(", ".join(f"{n} {name}" for name, n in cases.most_common()))
    print("Slowest cases, in seconds of the clock and of the processor:")
    print(
        "\n".join(
            f"  {clock:.1f} {taken:.1f} {name} (worker {worker}, case {n})"
            for clock, taken, worker, n, name in slowest
        )
    )
    if +refused:
        print(f"{sum(refused.values())} were refused:")
        print("\n".join(f"  {n} x {text}" for text, n in refused.most_common(12) if n))
    print(f"{sum(found.values())} mismatches" + "".join(f"\n  {n} x {law}" for law, n in found.most_common()))
    return sum(found.values())


def main() -> int:
    return main_of(SMALL, __doc__)


def main_of(of: Attack, description: str | None) -> int:
    parser = argparse.ArgumentParser(prog="attack", description=description)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="default: a fresh one, printed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    seed = secrets.randbelow(2**31) if given.seed is None else given.seed
    return 1 if run(given.seconds, seed, given.jobs, of) else 0
