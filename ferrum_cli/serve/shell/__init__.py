"""A POSIX shell's scripts, followed without running anything: what they launch, with which words.

It knows nothing about engines or containers.
"""
