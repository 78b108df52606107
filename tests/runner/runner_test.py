"""Tests of the tests' runner: runner_test.py APP-TESTS. The program has the test cases of tests/app/runner_cases_test.cpp."""
import pathlib
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import cases
import parts
import times

if len(sys.argv) < 2:
    sys.exit("runner_test.py: give the program app_tests of a build, such as build/ci/tests/app_tests")
PROGRAM = pathlib.Path(sys.argv.pop())


class CasesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        suite = cases.Suite(PROGRAM, "[.runner]", jobs=1, limit=2)
        runner = cases.Runner()
        runner.run_chunk(suite, cases.names_of(suite))
        cls.results = {result.name.removeprefix("runner: "): result for result in runner.results}

    def test_each_test_case_has_one_result(self):
        self.assertEqual({name: result.status for name, result in self.results.items()}, {
            "one that passes, with [brackets], a comma and <a & b>": "passed", "one that crashes": "failed",
            "one that fails": "failed", "one that throws": "failed", "one that hangs": "failed",
            "one that cannot run here": "skipped", "one that ends its process": "failed",
            "the last one passes, too": "passed"})

    def test_what_failed_is_told(self):
        for name, told in {"one that crashes": "SIGSEGV", "one that hangs": "took longer than 2 s",
                           "one that throws": "thrown by a test", "one that cannot run here": "skipped: for a reason",
                           "one that ends its process": "printed before the end"}.items():
            self.assertIn(told, self.results[name].text)
        failed = self.results["one that fails"].text
        for told in ("runner_cases_test.cpp:", "CHECK( 1 + 1 == 3 )", "2 == 3", "what was looked at", "in a section", '"left" == "right"'):
            self.assertIn(told, failed)

    def test_a_process_that_hangs_after_its_last_test_case_is_ended(self):
        suite = cases.Suite(PROGRAM, "[.runner-end]", limit=2)
        runner = cases.Runner()
        runner.run_chunk(suite, cases.names_of(suite))
        self.assertEqual([result.status for result in runner.results], ["failed"])
        self.assertIn("after this test case (passed), took longer than 2 s", runner.results[0].text)

    def test_a_process_that_ends_between_test_cases_is_told(self):
        process = cases.Process(cases.Suite(PROGRAM), ["one", "two"])
        for line in ('<TestCase name="one" >\n', '<OverallResult success="true"/>\n', '</TestCase>\n'):
            process.read(line)
        self.assertEqual(process.remaining(-11, "the sanitizer's words"), ["two"])
        self.assertEqual([(result.name, result.status) for result in process.results], [("one", "failed")])
        self.assertIn("after this test case (passed), its process ended: signal 11", process.results[0].text)
        self.assertIn("the sanitizer's words", process.results[0].text)

    def test_a_program_that_lists_nothing_is_an_error(self):
        with self.assertRaises(RuntimeError):
            cases.names_of(cases.Suite(pathlib.Path("/bin/true")))


GRAPH = parts.module_graph("engine/core\nengine/kernels engine/core\nengine/json engine/core\nengine/arrays engine/core engine/json\n"
                           "engine/worker engine/core engine/kernels\napp/document engine/core engine/arrays\n"
                           "app/ui/inputs engine/core app/document\n")


class PartsTest(unittest.TestCase):
    def asked(self, *changed, texts=None, faults=()):
        texts = {"tests/fuzz/npy_fuzz.cpp": '#include "engine/arrays/npy.h"\n', **(texts or {})}
        return dict(parts.wanted(changed, GRAPH, lambda file: texts.get(file, ""), ["tests/fuzz/npy_fuzz.cpp"], faults))

    def test_a_kernel_asks_for_the_sanitizer_of_the_engine(self):
        asked = self.asked("engine/attention/kernels.cpp")
        self.assertEqual(asked["asan"], ["engine"])
        self.assertNotIn("fuzz", asked)
        self.assertNotIn("tsan", asked)

    def test_a_thread_asks_for_the_thread_sanitizer(self):
        self.assertIn("tsan", self.asked("engine/worker/worker.cpp", texts={"engine/worker/worker.cpp": "#include <mutex>\n"}))

    def test_a_reader_of_files_asks_for_its_fuzz_targets(self):
        self.assertEqual(self.asked("engine/json/json_document.cpp")["fuzz"], ["npy"])
        self.assertEqual(self.asked("tests/fuzz/npy_fuzz.cpp")["fuzz"], ["npy"])

    def test_a_panel_asks_for_what_looks_at_panels(self):
        asked = self.asked("app/ui/inputs/grid.cpp", "app/ui/inputs/grid.h")
        self.assertEqual(asked["asan"], ["ui"])
        self.assertEqual(asked["headers"], ["app/ui/inputs/grid.h"])
        self.assertIn("monkey", asked)

    def test_a_changed_place_of_a_fault_asks_for_that_fault(self):
        texts = {"engine/attention/kernels.cpp": "row /= row.sum();"}
        faults = [("not normalised", "row /= row.sum();"), ("another", "x")]
        self.assertEqual(self.asked(*texts, texts=texts, faults=faults)["mutants"], ["not normalised"])

    def test_a_text_asks_for_nothing(self):
        self.assertEqual(self.asked("README.md", "CHANGELOG.md"), {})

    def test_every_part_comes_round(self):
        names = {name for turn in parts.TURNS for name, _ in turn}
        self.assertEqual(names, {name for name, *_ in parts.PARTS} - {"journeys"})  # those are in the gate
        for part, shares in (("mutants", {"1/5", "2/5", "3/5", "4/5", "5/5"}), ("asan", {"engine", "app", "ui"})):
            self.assertEqual({value for turn in parts.TURNS for name, value in turn if name == part}, shares)
        self.assertLessEqual(len(parts.TURNS), 13)
        self.assertEqual({id(parts.turn_of(number)) for number in range(100, 100 + len(parts.TURNS))}, {id(turn) for turn in parts.TURNS})

    def test_every_fault_and_every_fuzz_target_is_known(self):
        self.assertGreater(len(parts.fault_texts()), 100)
        self.assertGreater(len(parts.fuzz_sources()), 10)


class RunTest(unittest.TestCase):
    def test_a_second_run_in_the_folder_is_refused(self):
        # This test is run by the first one; alone, it takes the lock itself.
        import main
        with open(main.BUILD / "tests.lock", "a+") as file:
            try:
                main.fcntl.flock(file, main.fcntl.LOCK_EX | main.fcntl.LOCK_NB)
            except BlockingIOError:
                pass
            done = subprocess.run([sys.executable, "-B", "tests/runner/main.py", "nothing*"], cwd=parts.ROOT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("already being run", done.stderr)

    def test_without_space_nothing_is_begun(self):
        import main
        self.assertIn("free some space", main.why_no_space(main.FREE_GB - 1))
        self.assertEqual(main.why_no_space(main.FREE_GB + 1), "")

    def test_a_screen_that_does_not_start_is_told(self):
        import main
        self.assertIn("Xvfb does not start", main.why_no_display("/no/such/Xvfb"))
        self.assertIn("ends at its start", main.why_no_display("/bin/false"))

    def test_the_slowest_are_written(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            made = times.Times(pathlib.Path(folder))
            with made.step("a step"):
                made.tests = [(f"test {i}", i) for i in range(100)]
            lines = made.file.read_text().splitlines()
        self.assertEqual(lines[0], "kind\tname\tseconds")
        self.assertTrue(lines[1].startswith("step\ta step\t"))
        self.assertEqual(lines[2], "test\ttest 99\t99.0")
        self.assertEqual(len(lines), 2 + times.SLOWEST)


if __name__ == "__main__":
    unittest.main(verbosity=0)
