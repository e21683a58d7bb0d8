"""The attack on the command line: the verbs answer as Python does with the same options, and their files hold it.

`command` is a question of `attack.case` with the file that holds its table, `draw` draws one, `table` writes the file,
`words` are the options as the verbs take them, `checks` and its neighbours compare, `after_checks` asks other verbs
about the model file that came out, and `run` is ``make attack-command-line``.
"""
