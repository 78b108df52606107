"""What ./tests/run does once the packages are there: the gate, or parts by their names."""
import argparse
import contextlib
import fcntl
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # writes no files into the source tree
import cases
import parts
from times import Times

ROOT = parts.ROOT
BUILD = ROOT / "build"
FREE_GB = 4  # what a build of everything and the tests' temporary files take, with room to spare
JOURNEYS_AT_A_TIME = 2
SANITIZERS = {
    "asan": {
        "ASAN_OPTIONS": "detect_stack_use_after_return=1:allocator_may_return_null=1",
        "LSAN_OPTIONS": f"suppressions={ROOT}/tests/lsan.supp:print_suppressions=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    },
    "tsan": {
        "TSAN_OPTIONS": f"halt_on_error=1:second_deadlock_stack=1:die_after_fork=0:suppressions={ROOT}/tests/tsan.supp",
    },
}


def say(text):
    print(f"headlight: {text}", file=sys.stderr, flush=True)


class Run:
    """One run of the tests: what it has built, what passed, what failed, and the times."""

    def __init__(self, preset):
        self.preset, self.built = preset, set()
        self.passed, self.skipped, self.failures = 0, 0, []
        self.parts = []  # what is told at the end of each part
        self.times = Times(BUILD)
        self.began = time.monotonic()

    @contextlib.contextmanager
    def step(self, name):
        begin = time.monotonic()
        say(f"[{begin - self.began:.0f} s] {name}")
        with self.times.step(name):
            yield

    def broken(self, what):
        say(what)
        self.failures.append(what)

    def build(self, preset, *targets):
        """Brings targets of a preset up to date; False, with a failure noted, if they do not build."""
        missing = [target for target in targets if (preset, target) not in self.built]
        if not missing:
            return True
        tests = ["-DHEADLIGHT_TESTS=ON"] if preset in ("release", "ci") else []
        with self.step(f"configure {preset}"):
            if setup(f'configured "$@" || configure "$@"', preset, *tests) != 0:
                self.broken(f"the {preset} build could not be configured: see above")
                return False
        with self.step(f"build {preset}: {' '.join(missing)}"):
            good = setup('build "$@"', preset, *missing) == 0
        self.times.take_build(BUILD / preset)
        if not good:
            self.broken(f"the {preset} build failed: see above" + ("" if free_gb() > 0.2 else f"; there is no space left in {BUILD}"))
            return False
        self.built |= {(preset, target) for target in missing}
        return True

    def program(self, name, preset=None):
        return BUILD / (preset or self.preset) / ("app" if name == "headlight" else "tests") / name

    def command(self, name, words, environment=None):
        """Runs a command, which passes, fails or (status 77) is skipped."""
        with self.step(name):
            code = subprocess.run([str(word) for word in words], cwd=ROOT, env={**os.environ, **(environment or {})}).returncode
        if code == 0:
            self.passed += 1
        elif code == cases.SKIPPED:
            self.skipped += 1
        else:
            self.broken(f"{name} (exit status {code}: see above)")

    def suites(self, step, suites):
        """Runs test programs; each test case that fails is named at once, with what failed, and at the end."""
        with self.step(step):
            try:
                results = cases.Runner(cases.print_failure).run(suites)
            except RuntimeError as error:
                self.broken(str(error))
                return
        self.times.take_tests(results)
        for title in dict.fromkeys(result.program for result in results):
            own = [result for result in results if result.program == title]
            counts = cases.counts(own)
            say(f"{title}: " + ", ".join(f"{count} {status}" for status, count in counts.items()))
            self.passed += counts["passed"]
            self.skipped += counts["skipped"]
            self.failures += [f"{title}: {result.name}" for result in own if result.status == "failed"]

    def finish(self):
        self.times.steps.append(("all", time.monotonic() - self.began))
        self.times.write()
        for part in self.parts:
            print(part)
        for failure in self.failures:
            print(f"failed: {failure.splitlines()[0]}")
        print(f"{self.passed} passed, {len(self.failures)} failed" + (f", {self.skipped} skipped" if self.skipped else "")
              + f" in {time.monotonic() - self.began:.0f} s; {self.times.file.relative_to(ROOT)} has the times", flush=True)
        return 1 if self.failures else 0


def setup(function, *arguments):
    """Calls a function of app/setup.sh, which app/run uses too."""
    return subprocess.run(["bash", "-c", f". app/setup.sh; {function}", "setup", *arguments], cwd=ROOT).returncode


def free_gb():
    return shutil.disk_usage(BUILD).free / 1e9


def why_no_space(free):
    if free >= FREE_GB:
        return ""
    return f"{BUILD} has {free:.1f} GB left, and the build and the tests need up to {FREE_GB} GB: free some space"


def why_no_display(server="Xvfb"):
    """Why no virtual screen can be started; empty if one can."""
    read_end, write_end = os.pipe()
    with os.fdopen(read_end) as answer:
        try:
            screen = subprocess.Popen([server, "-displayfd", str(write_end), "-nolisten", "tcp", "-screen", "0", "64x64x24"],
                                      pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            return f"Xvfb does not start ({error}): install it (Debian: xvfb)"
        finally:
            os.close(write_end)
        number = answer.readline()
    screen.terminate()
    said = screen.communicate()[1]
    return "" if number.strip() else f"Xvfb ends at its start: {said.strip()}"


def journeys(run):
    why = why_no_display()
    if why:
        run.broken(f"the journeys through the window were not run: {why}")
    elif run.build(run.preset, "headlight", "window_tests"):
        run.suites("journeys", [journey_suite(run)])


def journey_suite(run, patterns=""):
    return cases.Suite(run.program("window_tests"), patterns, together=1, jobs=JOURNEYS_AT_A_TIME, limit=300)


def gate(run, patterns=""):
    """What every change passes. With patterns: only the test cases with these names, and nothing else."""
    programs = ("engine_tests", "app_tests", "ui_tests")
    targets = ("headlight", *programs, "window_tests")
    if not run.build(run.preset, *targets, *(() if patterns else ("headlight-bench", "told_lessons"))):
        return
    suites = [cases.Suite(run.program(name), patterns) for name in programs]
    if patterns:
        run.suites("tests", suites + [journey_suite(run, patterns)])
        if not run.passed and not run.failures:
            run.broken(f"no test has a name that matches {patterns}")
        return
    run.suites("tests of engine, program and panels", suites)
    journeys(run)
    run.command("the tests' own runner", [sys.executable, "-B", "tests/runner/runner_test.py", run.program("app_tests")])
    run.command("bench: the smallest size runs", ["tests/bench/smallest", run.program("headlight-bench")])
    page_tests(run, "0", "8", "2")
    run.command("format: clang-format has nothing to change", ["tests/format"])
    run.command("mutants: each text stands in the sources once", ["tests/mutants", "--check"])


def asan(run, programs):
    for name in [f"{name}_tests" for name in programs]:
        if run.build("asan", name):
            run.suites(f"asan: {name}", [cases.Suite(run.program(name, "asan"), limit=900, label=f"asan {name}",
                                                     environment=SANITIZERS["asan"])])


def tsan(run, _):
    if run.build("tsan", "thread_tests"):
        run.suites("tsan", [cases.Suite(run.program("thread_tests", "tsan"), together=1, limit=900, label="tsan thread_tests",
                                        environment=SANITIZERS["tsan"])])


def instructions(run, _):
    if run.build(run.preset, "engine_tests"):
        run.suites("older instruction sets", [
            cases.Suite(run.program("engine_tests"), "golden*,strips*,map*,product*,incremental*", label=f"engine_tests by {name}",
                        environment={"HEADLIGHT_TEST_INSTRUCTIONS": name}) for name in ("avx2", "baseline")])


def sizes(run, _):
    if run.build(run.preset, "app_tests", "ui_tests"):
        run.suites("every size", [cases.Suite(run.program(name), "sizes:*,areas:*,layer in a model:*", environment={"HEADLIGHT_TEST_SIZES": "all"})
                                  for name in ("app_tests", "ui_tests")])


def python(run, _):
    if run.build(run.preset, "headlight"):
        for name in ("headlight_test", "model_test", "gguf_test"):
            run.command(f"python: {name}", ["/usr/bin/python3", "-B", f"tests/python/{name}.py"],
                        {"HEADLIGHT": str(run.program("headlight"))})


def page_tests(run, edits, texts, lesson_edits):
    """The page's script in nodejs, against golden numbers and the built program."""
    for name, words in (("layer_test", ["--edits", edits]), ("model_test", ["--texts", texts]), ("lesson_test", ["--edits", lesson_edits]), ("gradient_test", [])):
        run.command(f"page: {name}", ["node", f"tests/page/{name}.mjs", *words],
                    {"HEADLIGHT": str(run.program("headlight")), "TOLD_LESSONS": str(run.program("told_lessons")),
                     "HEADLIGHT_ASSETS": str(ROOT / "assets")})


def page(run, values):
    if run.build(run.preset, "headlight", "told_lessons"):
        page_tests(run, values[0], "70", values[0])


def browser(run, _):
    if run.build(run.preset, "headlight"):
        for name in ("browser_test", "course_test"):
            run.command(f"pages in a browser: {name}", ["/usr/bin/python3", "-B", f"tests/page/{name}.py"],
                        {"HEADLIGHT": str(run.program("headlight"))})


def packaging(run, _):
    if run.build(run.preset, "headlight"):
        run.command("packaging: an installed program", ["tests/packaging/installed", BUILD / run.preset])


def headers(run, files):
    if run.build(run.preset, "headlight"):
        run.command("headers compile alone", ["tests/headers", "--build", BUILD / run.preset, *(files or [])])


def tidy(run, _):
    if run.build(run.preset, "headlight"):
        run.command("clang-tidy", ["tests/tidy", BUILD / run.preset])


def fuzz(run, values):
    """values: seconds, or targets, each of which then has ten seconds."""
    seconds = [value for value in values if value.isdigit()]
    targets = [value for value in values if not value.isdigit()]
    run.command("fuzzing", ["tests/fuzz/run", *(seconds or ["10"]), *targets])
    run.times.take_build(BUILD / "fuzz")


def monkey(run, values):
    if run.build("asan", "headlight"):
        # Without leak detection, which the tests do: libraries of the window free some memory only at the end.
        run.command(f"random input to the window, {values[0]} s",
                    ["tests/monkey", values[0], "--program", run.program("headlight", "asan")], {"ASAN_OPTIONS": "detect_leaks=0"})


def kills(run, values):
    if run.build(run.preset, "headlight"):
        run.command(f"the program killed {values[0]} times", ["tests/kills", values[0], "--program", run.program("headlight")])


def mutants(run, values):
    """values: a share N/M, or names of faults."""
    shares = [value for value in values if parts.is_share(value)]
    if run.build(run.preset, "engine_tests", "app_tests"):
        run.command("faults put into the sources", ["tests/mutants", "--build", BUILD / run.preset,
                                                    *(["--share", shares[0]] if shares else values)])


RUNS = {"journeys": lambda run, _: journeys(run), "sizes": sizes, "instructions": instructions, "python": python,
        "page": page, "browser": browser, "packaging": packaging, "headers": headers, "tidy": tidy, "asan": asan, "tsan": tsan, "fuzz": fuzz, "monkey": monkey,
        "kills": kills, "mutants": mutants}


def run_parts(run, wanted):
    """wanted: pairs of a part's name and its values."""
    for name, values in wanted:
        begin, failed = time.monotonic(), len(run.failures)
        RUNS[name](run, values)
        verdict = "passed" if len(run.failures) == failed else "FAILED"
        run.parts.append(f"part {' '.join([name, *values])}: {verdict} in {time.monotonic() - begin:.0f} s")
        run.times.steps.append((f"part {name}", time.monotonic() - begin))


def values_of(part, value):
    default = next(default for name, _, default, _ in parts.PARTS if name == part)
    value = default if value is None else value
    return value.split(",") if isinstance(value, str) else list(value or [])


def wanted_for(run, revision):
    """The parts that the files changed since a revision ask for."""
    written = BUILD / run.preset / "dependencies.txt"
    if not written.exists():
        run.broken(f"which parts the change asks for is unknown: {written.relative_to(ROOT)} is written when the build is configured")
        return []
    graph = parts.module_graph(written.read_text())
    return parts.wanted(parts.changed_since(revision), graph, parts.read, parts.fuzz_sources(), parts.fault_texts())


def parser():
    made = argparse.ArgumentParser(prog="tests/run", formatter_class=argparse.RawDescriptionHelpFormatter, description="""
Without arguments: the gate, which every change passes. It builds everything once and runs the tests of the engine, the
program and its panels, the journeys through the window, and checks the format and the list of faults.""")
    made.add_argument("patterns", nargs="*", metavar="PATTERN", help="only the test cases whose names match, as \"strips*\"")
    made.add_argument("--no-install", action="store_true", help="install no packages, but name those that are missing")
    made.add_argument("--all", action="store_true", help="the gate and every part below")
    made.add_argument("--turn", action="store_true", help="the gate and the part whose turn it is at this commit, as .ci/run")
    made.add_argument("--for", dest="revision", metavar="REV", help="the gate and the parts that the changes since REV ask for")
    group = made.add_argument_group("parts, alone")
    for name, metavar, default, text in parts.PARTS:
        if metavar:
            group.add_argument(f"--{name}", nargs="?", const=default, metavar=metavar, help=f"{text} ({default})")
        else:
            group.add_argument(f"--{name}", action="store_const", const="", help=text)
    return made


def run_all(run, given):
    alone = [(name, values_of(name, getattr(given, name) or None)) for name, *_ in parts.PARTS if getattr(given, name) is not None]
    if alone:
        run_parts(run, alone)
        return
    gate(run, ",".join(given.patterns))
    wanted = []
    if given.all:
        wanted = [(name, values_of(name, None)) for name, *_ in parts.PARTS if name != "journeys"]
    elif given.turn:
        wanted = [(name, values_of(name, value)) for name, value in parts.turn_of(parts.commit_number())]
    elif given.revision:
        wanted = wanted_for(run, given.revision)
        say("the change asks for " + (", ".join(" ".join([name, *values]) for name, values in wanted) or "no other part"))
    run_parts(run, wanted)


def lock_folder():
    """Two runs in one folder would build over each other."""
    BUILD.mkdir(exist_ok=True)
    file = open(BUILD / "tests.lock", "a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        sys.exit(f"headlight: these tests are already being run in {ROOT}, by the process {file.read().strip()}: wait for its end, "
                 "or clone the repository into another folder")
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def main():
    given = parser().parse_args()
    lock = lock_folder()
    if why_no_space(free_gb()):
        sys.exit(f"headlight: {why_no_space(free_gb())}")

    def end(number, _):
        for process in cases.descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
        os._exit(128 + number)

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    run = Run("ci" if os.environ.get("CI") else "release")
    run_all(run, given)
    code = run.finish()
    lock.close()
    return code


if __name__ == "__main__":
    sys.exit(main())
