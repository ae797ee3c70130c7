"""Real memory: a device's memory, the manager of states in it, and the drills that prove it.

It stands on the contract, reports and quantities alone; it knows nothing about models or engines.
Nothing is imported here: torch costs more than a second, so commands import what they run.
"""
