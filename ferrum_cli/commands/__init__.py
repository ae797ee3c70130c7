"""The commands, one file each: parse, call, report, render.

What a command is for is written where it is; nothing here knows a model or an engine.
"""
