"""The attack at size: random problems too large for the oracle of small ones, judged by what must not change.

`question` is a problem with its answer, `tables` and `draw` make one around the boundaries of the machine (words,
chunks, sums of 16 bits, parts of the rows), `changes` are problems with the same answer, `engines` other ways to it,
`oracle` the best tree of depth one and two by a few lines of numpy, `laws` compares, `case` makes a mismatch small, and
`run` is ``make attack-at-size``.
"""
