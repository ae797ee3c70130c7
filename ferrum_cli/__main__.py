"""`python -m ferrum_cli` is the command `ferrum`; it knows nothing but where that begins."""

from ferrum_cli.app import main

main()
