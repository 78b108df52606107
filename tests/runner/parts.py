"""What `./tests/run` can run beside the gate, which part a commit has its turn with, and which parts a change asks for."""
import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Name, how its value is written ("" if it has none), its value if none is given, what it does. In the order of --all.
PARTS = (
    ("journeys", "", None, "the journeys through the real window, alone"),
    ("sizes", "", None, "every size of a picture and of the window, where the gate tries every seventh"),
    ("instructions", "", None, "the engine's tests of sums as on processors with older instruction sets"),
    ("python", "", None, "headlight.py, and GGUF files written by NumPy"),
    ("page", "EDITS", "50", "the page's script against the program, after so many random edits of each lesson (needs nodejs)"),
    ("browser", "", None, "pages in a real browser, by keyboard and mouse (needs chromium)"),
    ("packaging", "", None, "an installed program, the manual page, the desktop's files"),
    ("headers", "", None, "each header compiled alone"),
    ("tidy", "", None, "clang-tidy over engine/ and app/ (version 14)"),
    ("asan", "engine|app|ui", "engine,app,ui", "the address and undefined-behaviour sanitizers over the tests"),
    ("tsan", "", None, "the thread sanitizer over the tests of what has threads"),
    ("fuzz", "SECONDS", "10", "each reader of files under libFuzzer for so long (needs clang)"),
    ("monkey", "SECONDS", "60", "random input to the window, built with the address sanitizer"),
    ("kills", "N", "40", "the program killed N times, and what is left then"),
    ("mutants", "N/M", "1/1", "each M-th fault, from the N-th, put into the sources: is it noticed?"),
)

# What .ci/run runs after the gate, by the number of the commit. At most thirteen minutes each on two cores. Their number
# is prime: landings of the same number of commits meet them all.
TURNS = (
    (("asan", "engine"),),
    (("mutants", "1/5"),),
    (("asan", "app"),),
    (("mutants", "2/5"),),
    (("tidy", None), ("python", None), ("packaging", None), ("sizes", None)),
    (("asan", "ui"),),
    (("mutants", "3/5"),),
    (("tsan", None), ("instructions", None), ("browser", None)),
    (("fuzz", "10"),),
    (("mutants", "4/5"),),
    (("headers", None), ("page", "20")),
    (("mutants", "5/5"),),
    (("monkey", "60"), ("kills", "20")),
)


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def turn_of(number):
    return TURNS[number % len(TURNS)]


def commit_number():
    return int(git("rev-list", "--count", "HEAD"))


def changed_since(revision):
    """The files that differ from a revision, those included that git does not know yet."""
    known = git("diff", "--name-only", revision, "--").splitlines()
    return sorted({*known, *git("ls-files", "--others", "--exclude-standard").splitlines()})


def is_share(text):
    return re.fullmatch(r"\d+/\d+", text) is not None


def read(file):
    """The text of a file of the sources; an empty one for a file that is gone or has none."""
    try:
        return (ROOT / file).read_text()
    except (OSError, UnicodeDecodeError):
        return ""


def fuzz_sources():
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/fuzz").glob("*_fuzz.cpp"))


def fault_texts():
    """The names of the faults of tests/mutants, with the texts that they change."""
    loader = importlib.machinery.SourceFileLoader("mutants", str(ROOT / "tests/mutants"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
    loader.exec_module(module)
    return [(name, text) for name, _, text, _ in module.FAULTS]


def module_graph(text):
    """dependencies.txt of a build: each module with those that it uses."""
    return {words[0]: set(words[1:]) for words in map(str.split, text.splitlines()) if words}


def reached(graph, modules):
    """The modules, and all that they use, directly or through others."""
    found, left = set(), list(modules)
    while left:
        module = left.pop()
        if module not in found:
            found.add(module)
            left += graph.get(module, ())
    return found


def modules_of(graph, source):
    """The modules whose headers a source includes."""
    included = {line.rsplit("/", 1)[0] for line in re.findall(r'#include "([^"]+)"', source)}
    return included & graph.keys()


# What the tests of a window's panels link, and those of the program without a window do not.
WINDOW = ("app/ui/", "app/shell/", "app/platform/")
THREADS = re.compile(r"#include (<(thread|mutex|atomic|condition_variable|future)>|\"engine/core/(parallel|newest_job|stopping)\.h\")|\bjthread\b")
# Modules that read bytes from outside: these, and what uses them.
READS_BYTES = {"engine/json", "engine/arrays"}


# The part that is asked for by a changed file whose path begins so.
BY_PATH = (
    (("assets/python/", "tests/python/", "app/cli/", "engine/checkpoint/"), "python", None),
    (("assets/page/", "tests/page/", "app/page/"), "browser", None),
    (("app/packaging/", "app/cli/", "app/manual/", "assets/"), "packaging", None),
    (("assets/page/", "tests/page/", "engine/session/", "engine/layer/", "engine/core/", "engine/attention/", "engine/tokenizers/"), "page", "10"),
    (("app/recovery/", "app/document/", "engine/session/"), "kills", "20"),
    (("app/figure/", "app/ui/"), "sizes", None),
    (("engine/simd/", "engine/attention/"), "instructions", None),
    (WINDOW, "monkey", "60"),
    (("engine/", "tests/engine/"), "asan", "engine"),
    ((*WINDOW, "tests/ui/"), "asan", "ui"),
    (("engine/", "app/"), "tidy", None),
)


def wanted(changed, graph, read=read, sources_of_fuzz=(), faults=()):
    """The parts that changed files ask for, with their values, in the order of PARTS. `read` gives the text of a file."""
    asked = {}

    def ask(part, value=None):
        values = asked.setdefault(part, [])
        if value and value not in values:
            values.append(value)

    for file in changed:
        source = file.endswith((".cpp", ".h", ".inl"))
        for paths, part, value in BY_PATH:
            if file.startswith(paths) and (source or part in ("python", "packaging", "page", "browser")):
                ask(part, value)
        if source and file.startswith(("app/", "tests/app/")) and not file.startswith(WINDOW):
            ask("asan", "app")
        if source and file.startswith(("engine/", "app/")) and THREADS.search(read(file)):
            ask("tsan")
        if file.endswith(".h"):
            ask("headers", file)
    for source in sources_of_fuzz:
        readers = {module for module in reached(graph, modules_of(graph, read(source))) if READS_BYTES & reached(graph, [module])}
        if source in changed or readers & {file.rsplit("/", 1)[0] for file in changed}:
            ask("fuzz", pathlib.Path(source).stem.removesuffix("_fuzz"))
    for name, text in faults:
        if any(text in read(file) for file in changed if file.startswith(("engine/", "app/document/"))):
            ask("mutants", name)
    return [(part, asked[part]) for part, *_ in PARTS if part in asked]
