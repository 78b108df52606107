#!/usr/bin/python3
"""Runs the test cases of Catch2 programs in several processes. A test that crashes or hangs is named, and the others
of its process are run again without it. By hand: tests/runner/cases.py PROGRAM [PATTERN]"""
import concurrent.futures
import dataclasses
import html
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

SKIPPED = 77  # the exit status of a process whose test case cannot run here; see tests/support/skip.h
CHUNK = 24    # test cases of a process at most


@dataclasses.dataclass
class Result:
    program: str
    name: str
    seconds: float
    status: str  # passed, failed, skipped
    text: str = ""  # what failed, for a person


@dataclasses.dataclass
class Suite:
    """A program, the patterns that select its test cases ("": all), and how they are run."""
    program: pathlib.Path
    patterns: str = ""
    together: int = CHUNK  # test cases of a process at most
    jobs: int = 0  # processes at a time; 0: one per core
    limit: float = 120  # seconds of a test case
    environment: dict = dataclasses.field(default_factory=dict)
    label: str = ""

    def title(self):
        return self.label or self.program.name


def cores():
    return len(os.sched_getaffinity(0))


def names_of(suite):
    """The names of a suite's test cases. Catch2 2 has another option than 3, and its exit status is their number."""
    words = [suite.program]
    usage = subprocess.run([suite.program, "--help"], capture_output=True, text=True).stdout
    words += ["--list-test-names-only"] if "--list-test-names-only" in usage else ["--list-tests", "--verbosity", "quiet"]
    listed = subprocess.run(words + ([suite.patterns] if suite.patterns else []), capture_output=True, text=True,
                            env={**os.environ, **suite.environment})
    names = [line.strip() for line in listed.stdout.splitlines() if line.strip()]
    if not names and not suite.patterns:
        raise RuntimeError(f"{suite.program} lists no tests: {listed.stderr.strip()}")
    return names


def escaped(name):
    """A name as a pattern that matches only itself."""
    return re.sub(r"([\[\]\\,])", r"\\\1", name)


def descendants(pid):
    """The processes that a process has started, and theirs: also those in process groups of their own."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, left = [], [pid]
    while left:
        for child in children.get(left.pop(), []):
            found.append(child)
            left.append(child)
    return found


def kill_all(pid):
    for process in [pid, *descendants(pid)]:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def complaints(lines):
    """The failed assertions in the XML of one test case, as a person reads them."""
    try:
        case = xml.etree.ElementTree.fromstringlist(lines)
    except xml.etree.ElementTree.ParseError:  # it has crashed, or prints characters that XML does not have
        return "".join(lines)
    found = []

    def visit(element, sections):
        informed = []
        for child in element:
            text = (child.text or "").strip()
            if child.tag == "Section":
                visit(child, sections + [child.get("name", "")])
            elif child.tag in ("Info", "Warning"):
                informed.append(text)
            elif child.tag == "Expression":
                if child.get("success") == "false":
                    original, expanded = child.findtext("Original", "").strip(), child.findtext("Expanded", "").strip()
                    thrown = child.findtext("Exception") or child.findtext("FatalErrorCondition")
                    add(child, sections, informed, f"{child.get('type')}( {original} )\n  {(thrown or expanded).strip()}")
                informed = []
            elif child.tag in ("Exception", "FatalErrorCondition", "Failure"):
                add(child, sections, informed, f"{child.tag.lower()}: {text}")
                informed = []

    def add(element, sections, informed, what):
        where = f"{element.get('filename')}:{element.get('line')}: "
        within = f"in {' / '.join(sections)}\n" if sections else ""
        found.append(within + where + what + "".join(f"\n  with {info}" for info in informed))

    visit(case, [])
    return "\n".join(found)


class Process:
    """One process of a suite with some of its test cases, and what it reports of them while it runs."""

    def __init__(self, suite, names):
        self.suite, self.names = suite, names
        self.results, self.lines = [], []
        self.current, self.began = None, time.monotonic()
        self.hung = False

    def run(self):
        """Runs the process to its end; the names of test cases that it did not come to."""
        read_end, write_end = os.pipe()
        with tempfile.NamedTemporaryFile("w+", prefix="headlight-names-") as file, \
                tempfile.TemporaryFile("w+", errors="replace") as output:
            file.write("".join(escaped(name) + "\n" for name in self.names))
            file.flush()
            words = [self.suite.program, "--input-file", file.name, "--reporter", "xml", "--out", f"/dev/fd/{write_end}"]
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, pass_fds=[write_end],
                                       env={**os.environ, "HEADLIGHT_UNDER_RUNNER": "1", **self.suite.environment})
            os.close(write_end)
            self.follow(process, read_end)
            output.seek(0)
            return self.remaining(process.returncode, output.read())

    def follow(self, process, pipe):
        """Reads the process's report until it ends. A test case, or what follows it, that takes longer than the limit ends it."""
        rest = b""
        while True:
            readable, _, _ = select.select([pipe], [], [], 0.5)
            if readable:
                piece = os.read(pipe, 1 << 16)
                if not piece:
                    break
                *lines, rest = (rest + piece).split(b"\n")
                if rest.endswith(b">"):  # Catch2 3 ends a line only with the next one
                    lines, rest = [*lines, rest], b""
                for line in lines:
                    self.read(line.decode(errors="replace") + "\n")
            elif process.poll() is not None:  # a process that it left behind has the pipe open
                break
            if time.monotonic() - self.began > self.suite.limit and not self.hung:
                self.hung = True
                kill_all(process.pid)
        os.close(pipe)
        process.wait()

    def read(self, line):
        begin = re.match(r'\s*<TestCase name="([^"]*)"', line)
        if begin:
            self.current, self.began, self.lines = html.unescape(begin[1]).strip(), time.monotonic(), []
        if self.current is None:
            return
        self.lines.append(line)
        if "</TestCase>" in line:
            passed = any('<OverallResult success="true"' in text for text in self.lines[-8:])
            self.add("passed" if passed else "failed", "" if passed else complaints(self.lines))

    def add(self, status, text):
        self.results.append(Result(self.suite.title(), self.current, time.monotonic() - self.began, status, text))
        self.current, self.began = None, time.monotonic()

    def remaining(self, code, output):
        if self.hung:
            end = f"took longer than {self.suite.limit:.0f} s and was ended"
        else:
            end = "its process ended: " + (f"signal {-code} ({signal.strsignal(-code)})" if code < 0 else f"exit status {code}")
        within = self.current is not None
        if within and code == SKIPPED:
            self.add("skipped", output.strip().splitlines()[-1] if output.strip() else "")
        elif within:
            self.add("failed", f"{end}\n{complaints(self.lines)}\n{output[-6000:]}")
        done = {result.name for result in self.results}
        left = [name for name in self.names if name not in done]
        if left and not self.results:  # a name that selects nothing, or an end before the first test case
            self.results = [Result(self.suite.title(), name, 0, "failed", f"was not run ({end}): {output[-2000:]}") for name in left]
            return []
        if not within:
            self.judge_end(code, end, left, output)
        return left

    def judge_end(self, code, end, left, output):
        """What the end of a process, after a test case, says of that one."""
        last = self.results[-1]
        # With test cases left the process has not come to its own end. Without, its exit status is not 0 though all passed
        # when a sanitizer finds a leak.
        if self.hung or left or (code != 0 and all(result.status == "passed" for result in self.results)):
            last.text += f"\nafter this test case ({last.status}), {end}:\n{output[-6000:]}"
            last.status = "failed"
        elif output and any(result.status == "failed" for result in self.results):
            last.text += f"\nprinted by its process: {output[-2000:]}"


class Runner:
    """Runs suites. `report` is called with each result as it comes, from one thread at a time."""

    def __init__(self, report=lambda result: None):
        self.report, self.lock, self.results = report, threading.Lock(), []

    def take(self, results):
        with self.lock:
            for result in results:
                self.results.append(result)
                self.report(result)

    def run_chunk(self, suite, names):
        while names:
            process = Process(suite, names)
            names = process.run()
            self.take(process.results)

    def run(self, suites):
        """Runs the suites beside each other, each in as many processes as it wants; their results in all."""
        pools = []
        for suite in suites:
            names = names_of(suite)
            jobs = suite.jobs or cores()
            # Several rounds of chunks, so that no process is left alone with many test cases at the end.
            together = max(1, min(suite.together, len(names) // (4 * jobs)))
            pool = concurrent.futures.ThreadPoolExecutor(jobs)
            pools.append((pool, [pool.submit(self.run_chunk, suite, names[i:i + together])
                                 for i in range(0, len(names), together)]))
        for pool, futures in pools:
            for future in futures:
                future.result()
            pool.shutdown()
        return self.results


def print_failure(result):
    if result.status == "failed":
        print(f"FAILED {result.program}: {result.name} ({result.seconds:.1f} s)", flush=True)
        print("".join(f"  {line}\n" for line in result.text.splitlines()), end="", flush=True)
    elif result.status == "skipped":
        print(f"{result.program}: {result.name}: {result.text}", flush=True)


def counts(results):
    return {status: sum(result.status == status for result in results) for status in ("passed", "failed", "skipped")}


def main():
    results = Runner(print_failure).run([Suite(pathlib.Path(sys.argv[1]).resolve(), ",".join(sys.argv[2:]))])
    print(", ".join(f"{count} {status}" for status, count in counts(results).items()))
    return 1 if counts(results)["failed"] or not results else 0


if __name__ == "__main__":
    sys.exit(main())
