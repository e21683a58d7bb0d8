"""How large a mixed-integer program will be, counted before any of it is written.

A program of a million rows has hundreds of millions of coefficients: whoever writes it until the memory is gone loses
the process, the tree included. So every formulation counts its variables and terms first (a test compares them with the
written model), and what they will take decides whether it is written.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Size"]

# Measured with HiGHS on 20,000 rows, from the first block to what its presolve takes, over the formulations: a term
# as it is written, in the matrix and in the solver's copies of it; a variable with its bounds; a block of constraints
# as an object of Python.
TERM_BYTES, VARIABLE_BYTES, BLOCK_BYTES = 130, 1000, 2000


@dataclass(frozen=True)
class Size:
    """What a program consists of.

    Parameters
    ----------
    variables : int
    terms : int
        Coefficients of all constraints, as they are written.
    blocks : int
        Blocks of constraints.
    """

    variables: int
    terms: int
    blocks: int

    @property
    def n_bytes(self) -> int:
        """Memory that writing the program and handing it to the solver takes, about."""
        return TERM_BYTES * self.terms + VARIABLE_BYTES * self.variables + BLOCK_BYTES * self.blocks
