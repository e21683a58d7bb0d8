"""The attack: random small problems over all public options, answered by the library and by an oracle.

`case` is a problem as a user would write it, `generate` draws them, `oracle` (with `splits` and `exact`) answers
them without any code of the library, `walker` reads its model files, `checks` and its neighbours compare, `shrink`
makes a mismatch small, `run` is ``make attack``.
"""
