"""The house keeps its shape: arrows run one way, every room has its tests, every file its docs."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "ferrum_cli"
TESTS = ROOT / "tests"
FILES = sorted(PACKAGE.rglob("*.py"))

# What each room may import besides itself. A missing room is a failure, so a new one is
# added here on purpose.
GROUND = {"errors", "quantity", "dtype", "discover"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "discover": {"errors"},
    "quantity": {"errors"},
    "dtype": {"errors"},
    "contract": {"errors", "quantity", "dtype"},
    "report": {"errors", "quantity"},
    "blocks": {*GROUND, "contract"},
    "describe": {*GROUND, "blocks"},
    "expand": {*GROUND, "blocks", "describe"},
    "hardware": {*GROUND},
    "engines": {*GROUND, "blocks", "describe", "expand", "hardware", "report"},
    "plan": {*GROUND, "blocks", "describe", "expand", "engines", "hardware", "report"},
    "serve": {*GROUND, "engines", "report"},
    "observe": {
        *GROUND,
        "blocks",
        "describe",
        "expand",
        "engines",
        "hardware",
        "report",
        "contract",
    },
    "live": {"errors", "quantity", "discover", "contract", "report"},
    "render": {"errors", "quantity", "discover", "report"},
    "commands": {
        *GROUND,
        *("blocks", "contract", "describe", "expand", "hardware", "engines"),
        *("plan", "serve", "observe", "live", "render", "report"),
    },
    "app": {"errors", "discover", "commands"},
    "__main__": {"app"},
}
HEAVY = {"torch", "asyncio", "numpy", "pandas"}
LONGEST_FUNCTION, LONGEST_FILE = 60, 350
MEDIAN_FUNCTION, MEDIAN_FILE = 12, 150


def room(path: Path) -> str:
    """The room a file stands in: the first part of its path below the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file imports anywhere, with the line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def public(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods that others may call: not private, and not inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for holder in (tree, *(c for c in classes if not c.name.startswith("_"))):
        for node in holder.body:
            is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            if is_function and not node.name.startswith("_"):
                yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function from `def` to its last."""
    return (function.end_lineno or 0) - function.lineno + 1


def documented() -> list[Path]:
    """Files whose docstring matters: all but empty package markers."""
    return [path for path in FILES if path.read_text(encoding="utf-8").strip()]


def test_no_import_runs_back_up_the_house() -> None:
    wrong = []
    for path in FILES:
        home = room(path)
        if home == "__init__":
            continue
        for name, line in imports(path):
            parts = name.split(".")
            if parts[0] != "ferrum_cli" or len(parts) == 1 or parts[1] == "__version__":
                continue
            if parts[1] != home and parts[1] not in MAY_IMPORT[home]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert wrong == []


def test_only_live_imports_torch_or_asyncio() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in FILES
        if room(path) != "live"
        for name, line in imports(path)
        if name.split(".")[0] in HEAVY
    ]
    assert wrong == []


def test_only_the_application_exits() -> None:
    wrong = []
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        if room(path) not in {"app", "__main__"} and ("sys.exit" in text or "SystemExit" in text):
            wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []


def test_no_engine_knows_another_engine() -> None:
    wrong = []
    for path in (PACKAGE / "engines").glob("*/*.py"):
        mine = path.parent.name
        for name, line in imports(path):
            parts = name.split(".")
            if parts[:2] == ["ferrum_cli", "engines"] and len(parts) > 3:  # noqa: SIM102
                if not parts[2].startswith("_") and parts[2] != mine:
                    wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert wrong == []


@pytest.mark.parametrize(
    ("folder", "tests"),
    [
        ("blocks", "blocks"),
        ("describe/huggingface", "describe/huggingface"),
        ("render", "render"),
        ("commands", "commands"),
        ("hardware", "hardware"),
        ("live/drills", "live/drills"),
        ("live/policies", "live/policies"),
        ("live/recurrences", "live/recurrences"),
    ],
)
def test_every_newcomer_has_a_test_file_of_its_name(folder: str, tests: str) -> None:
    newcomers = [p.stem for p in (PACKAGE / folder).glob("[a-z]*.py")]
    missing = [n for n in newcomers if not (TESTS / tests / f"test_{n}.py").is_file()]
    assert missing == []


def test_every_engine_has_a_folder_of_tests() -> None:
    engines = [p.parent.name for p in (PACKAGE / "engines").glob("[a-z]*/__init__.py")]
    assert engines
    missing = [e for e in engines if not list((TESTS / "engines" / e).glob("test_*.py"))]
    assert missing == []


def test_every_module_says_its_job_and_what_it_knows_nothing_about() -> None:
    silent = []
    for path in documented():
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        says_its_job = bool(docstring) and docstring.splitlines()[0].endswith((".", ":"))
        if not says_its_job or "know" not in docstring:
            silent.append(str(path.relative_to(ROOT)))
    assert silent == []


def test_every_function_says_what_it_returns() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{function.lineno} {function.name}"
        for path in FILES
        for function in functions(path)
        if function.returns is None
    ]
    assert wrong == []


def test_every_public_function_has_a_docstring() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{function.lineno} {function.name}"
        for path in FILES
        for function in public(path)
        if not ast.get_docstring(function)
    ]
    assert wrong == []


def test_no_file_or_function_grows_past_its_limit() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{function.lineno} {function.name} has {length(function)} lines"
        for path in FILES
        for function in functions(path)
        if length(function) > LONGEST_FUNCTION
    ]
    for path in FILES:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST_FILE:
            long.append(f"{path.relative_to(ROOT)} has {lines} lines")
    assert long == []


def test_files_and_functions_stay_short_in_the_middle(record_property: object) -> None:
    sizes = [len(path.read_text(encoding="utf-8").splitlines()) for path in documented()]
    lengths = [length(function) for path in FILES for function in functions(path)]
    assert statistics.median(sizes) <= MEDIAN_FILE
    assert statistics.median(lengths) <= MEDIAN_FUNCTION
    report = {"files": len(sizes), "lines": sum(sizes), "functions": len(lengths)}
    record_property("house", report)  # type: ignore[operator]


def test_no_file_is_called_utils_or_helpers() -> None:
    names = {path.stem for path in FILES}
    assert names.isdisjoint({"utils", "helpers", "util", "helper", "common", "misc"})
