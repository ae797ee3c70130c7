"""`python -m ferrum_cli` is the command `ferrum`."""

from ferrum_cli.app import main

main()
