"""Latency beside a peer. Every ratio is the median over rounds in which both sides run one after the other, so that a busy machine slows both
alike."""
import contextlib
import statistics
import subprocess
import sys

from engines import times_of


def beside(quern, peer, path, threads, runs, rounds, of=min):
    """(ratios, our seconds, theirs): in each round what `of` says of our runs and of theirs."""
    ours, theirs = [], []
    warmup = min(3, runs - 1)
    for _ in range(rounds):
        theirs.append(of(times_of(peer.run, runs)))
        seconds = quern.run(path, threads, runs, warmup)["seconds"]["execute"]
        ours.append(seconds["min" if of is min else "median"])
    return [a / b for a, b in zip(ours, theirs)], ours, theirs


def words(peer, ours, theirs):
    return f"quern {ours * 1e3:8.2f} ms  {peer.name} {theirs * 1e3:8.2f} ms"


def latency(quern, make_peer, path, what, threads, runs, rounds, peak=None):
    """`peak`: operations a second of one core, for nets of codes."""
    peer = make_peer(path, threads)
    ratios, ours, theirs = beside(quern, peer, path, threads, runs, rounds)
    text = words(peer, min(ours), min(theirs))
    if peak and (macs := quern.macs(path)):
        text += f"  {200 * macs / min(ours) / (peak * threads):.0f} % of the peak"
    return {what: (statistics.median(ratios), text)}


@contextlib.contextmanager
def busy(count):
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in others:
            process.kill()
            process.wait()


def busy_latency(quern, make_peer, path, what, threads, others, runs, rounds):
    """The median latency of both while other processes compute beside them."""
    peer = make_peer(path, threads)
    with busy(others):
        ratios, ours, theirs = beside(quern, peer, path, threads, runs, max(rounds, 3), statistics.median)
    return {what: (statistics.median(ratios), words(peer, statistics.median(ours), statistics.median(theirs)))}
