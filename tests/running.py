"""Running the command line inside a test, as a shell would."""

from __future__ import annotations

from dataclasses import dataclass

from typer.testing import CliRunner

from ferrum_cli.app import app

# What is seen must not depend on the terminal that the tests are started from.
_ENVIRONMENT = {"COLUMNS": None, "NO_COLOR": None}


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """Everything that was printed."""
        return self.stdout + self.stderr


def ferrum(*args: str) -> Outcome:
    """Run `ferrum` with these arguments."""
    result = CliRunner().invoke(app, list(args), env=_ENVIRONMENT, terminal_width=80)
    return Outcome(result.exit_code, result.stdout, result.stderr)
