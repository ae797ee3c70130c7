"""Drills: scripted runs against real memory, at whose end every invariant holds.

One file is one drill, found by its name. They know nothing about models: they are given tensors.
"""
