"""Prime numbers, by which Qwen4-Exp sizes its n-gram tables.

It knows nothing about models.
"""

from __future__ import annotations

from itertools import count, islice

_WITNESSES = (2, 3, 5, 7)
"""They decide for every number below 3,215,031,751 (Pomerance, Selfridge and Wagstaff 1980)."""


def primes_from(start: int, number: int) -> list[int]:
    """The first `number` primes that are at least `start`."""
    return list(islice(filter(is_prime, count(start)), number))


def is_prime(value: int) -> bool:
    """Whether `value`, which is below 2³¹·1.4, is prime: the test of Miller and Rabin."""
    if value < _WITNESSES[-1] + 1:
        return value in _WITNESSES
    if any(value % witness == 0 for witness in _WITNESSES):
        return False
    odd, twos = value - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(value, witness, odd, twos) for witness in _WITNESSES)


def _passes(value: int, witness: int, odd: int, twos: int) -> bool:
    power = pow(witness, odd, value)
    if power in (1, value - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % value
        if power == value - 1:
            return True
    return False
