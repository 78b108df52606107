"""build/times.tsv: the seconds of each step of a run, of its slowest compilations and of its slowest tests."""
import contextlib
import time

SLOWEST = 30


class Times:
    def __init__(self, build_root):
        self.file = build_root / "times.tsv"
        self.began = time.time()
        self.steps, self.compilations, self.tests = [], [], []

    @contextlib.contextmanager
    def step(self, name):
        begin = time.monotonic()
        try:
            yield
        finally:
            self.steps.append((name, time.monotonic() - begin))
            self.write()  # after each step, so that a run that is interrupted leaves what it measured

    def take_build(self, folder):
        """The compilations since this run began, from Ninja's log: begin and end in ms, time of the output, output."""
        log = folder / ".ninja_log"
        if not log.exists():
            return
        latest = {}
        for line in log.read_text().splitlines():
            fields = line.split("\t")
            if len(fields) == 5:
                latest[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
        # The time of an output in the log has another unit in each version of Ninja: the file itself is asked.
        self.compilations += [(f"{folder.name}/{output}", seconds) for output, seconds in latest.items()
                              if output.endswith((".o", ".gch")) and (folder / output).exists()
                              and (folder / output).stat().st_mtime >= self.began - 1]

    def take_tests(self, results):
        self.tests += [(f"{result.program}: {result.name}", result.seconds) for result in results]

    def write(self):
        def slowest(rows):
            return sorted(rows, key=lambda row: -row[1])[:SLOWEST]

        rows = [("step", *row) for row in self.steps]
        rows += [("compilation", *row) for row in slowest(self.compilations)]
        rows += [("test", *row) for row in slowest(self.tests)]
        self.file.write_text("kind\tname\tseconds\n" + "".join(f"{kind}\t{name}\t{seconds:.1f}\n" for kind, name, seconds in rows))
