"""Puts packages from PyPI into the peer's virtual environment; told what to do on stdin by bench/package_versions.cpp.

    install NAME NAME==VERSION...     installs a package, and of all packages these versions; answers `ok` and the
                                      versions of it and of what it needs, or `no` and a reason

PyTorch stays what it is: a package that wants another one is not installed.
"""
import importlib
import re
import subprocess
import sys
import tempfile
from importlib import metadata


def plain(name):
    """Local_Attention and local-attention are the same package."""
    return re.sub(r"[-_.]+", "-", name).lower()


def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def needed(name, seen):
    """Adds the package and all that it needs, as far as that is installed."""
    if name in seen or version(name) is None:
        return seen
    seen.add(name)
    for requirement in metadata.requires(name) or []:
        if "extra ==" not in requirement:
            needed(plain(re.match(r"[\w.-]+", requirement).group()), seen)
    return seen


def versions(name):
    """Of the package and of what it needs besides PyTorch."""
    importlib.invalidate_caches()
    return {other: version(other) for other in sorted(needed(name, set()) - needed("torch", set()))}


def is_there(name, pins):
    have = versions(name)
    return name in have and all(pins.get(other, have[other]) == have[other] for other in have)


def reason_of(errors):
    """The last thing pip complains of. No address of an index is told: the reason may be printed and kept."""
    lines = [line for line in errors.splitlines() if line.startswith("ERROR:") and "ResolutionImpossible" not in line]
    reason = lines[-1].removeprefix("ERROR:").strip() if lines else "it gave no reason"
    return re.sub(r"https?://\S+", "the package index", reason)[:200]


def run_pip(wanted, pins):
    """Empty, or why it failed."""
    fixed = pins | ({"torch": version("torch")} if version("torch") else {})
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write("".join(f"{other}=={fixed[other]}\n" for other in fixed))
        constraints.flush()
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
        done = subprocess.run(command + ["-c", constraints.name, wanted], capture_output=True, text=True)
    return "" if done.returncode == 0 else reason_of(done.stderr)


def install(name, pins):
    if is_there(name, pins):
        return ""
    wanted = f"{name}=={pins[name]}" if name in pins else name
    if sys.prefix == sys.base_prefix:
        return f"{wanted} is not installed, and this python is no virtual environment; `make peer` makes one"
    reason = run_pip(wanted, {other: pins[other] for other in pins if other != name})
    return f"pip cannot install {wanted}: {reason}" if reason else ""


def answer(line):
    verb, name, *pins = line.split()
    if verb != "install":
        return f"no {verb} is not install"
    try:
        reason = install(name, dict(pin.split("==") for pin in pins))
        return "no " + reason if reason else " ".join(["ok"] + [f"{k}=={v}" for k, v in versions(name).items()])
    except Exception as error:
        return "no " + " ".join(f"{type(error).__name__}: {error}".split())[:200]


if __name__ == "__main__":
    for request in sys.stdin:
        print(answer(request), flush=True)
