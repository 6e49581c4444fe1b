"""Work in processes of its own: runtimes end theirs where they give up, and only a process of one thread may fork."""
import gc
import multiprocessing
import os
import pickle
import signal

LONGEST = 300  # seconds: what takes longer hangs


class Ended(Exception):
    """The process ended without a result."""


def silent():
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def apart(work, *args):
    """What `work(*args)` returns, computed without a word in a process of its own; RuntimeError: the first line of what it raised; Ended: it ended."""
    read, write = os.pipe()
    gc.freeze()  # a collection in the child would touch, and so copy, all that is here
    child = os.fork()
    if child == 0:
        os.close(read)
        gc.disable()
        signal.alarm(LONGEST)
        silent()
        try:
            result = True, work(*args)
        except BaseException as problem:
            result = False, (str(problem).strip().splitlines() or [type(problem).__name__])[0]
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(result, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    status = os.waitpid(child, 0)[1]
    if not data:
        raise Ended(f"ends with signal {status & 127}" if status & 127 else f"ends with {status >> 8}")
    done, result = pickle.loads(data)
    if not done:
        raise RuntimeError(result)
    return result


def until_it_ends(work, jobs):
    """What `work(*job)` returns or raises for the first of the jobs, up to one that ends the process or hangs; these share one process."""
    read, write = os.pipe()
    gc.freeze()
    child = os.fork()
    if child == 0:
        os.close(read)
        silent()
        with os.fdopen(write, "wb") as pipe:
            for job in jobs:
                signal.alarm(LONGEST)
                try:
                    result = True, work(*job)
                except BaseException as problem:
                    result = False, (str(problem).strip().splitlines() or [type(problem).__name__])[0]
                pickle.dump(result, pipe)
                pipe.flush()
        os._exit(0)
    os.close(write)
    found = []
    with os.fdopen(read, "rb") as pipe:
        while len(found) < len(jobs):
            try:
                done, result = pickle.load(pipe)
            except (EOFError, pickle.UnpicklingError):
                break
            found.append(result if done else RuntimeError(result))
    status = os.waitpid(child, 0)[1]
    if len(found) < len(jobs):
        found.append(Ended(f"ends with signal {status & 127}" if status & 127 else f"ends with {status >> 8}"))
    return found


def apart_all(work, jobs, together=32):
    """For each of the jobs what `apart` gives or raises; so many of them share a process, as far as it lives."""
    found = []
    while len(found) < len(jobs):
        found += until_it_ends(work, jobs[len(found):len(found) + together])
    return found


def each(work, items, processes=2):
    """Results of `work` for each of the items, in their order, as they come; `work` may fork."""
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        yield from pool.imap(work, items)
