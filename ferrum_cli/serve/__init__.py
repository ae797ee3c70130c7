"""Whole command lines as people paste them, read by the rules of the engine that they start.

`reading.read` gives a `Command`, `planning.served` what a plan takes from it, and
`presentation.present` what was understood. It knows nothing about models, machines or plans.
"""
