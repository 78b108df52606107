"""The part of a long list that one run of the tests tries; tests/mutants and tests/headers import it."""
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def share_of(things, share):
    """Every `share`-th thing; the first one depends on the number of commits, without git on the day of the year."""
    try:
        counted = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
        number = int(counted.stdout)
    except (OSError, subprocess.CalledProcessError):
        number = time.localtime().tm_yday
    return things[number % share::share]
