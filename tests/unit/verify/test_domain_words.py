"""A proof on a domain is worth nothing without the domain: the note that names it is held against it."""

from dataclasses import replace

import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from treewright.bornagain import Domain, Ensemble, solve
from treewright.verify import verify_born_again


@pytest.mark.parametrize("limited", [True, False])
def test_the_domain_is_the_one_that_is_named(limited):
    X, y = load_iris(return_X_y=True)
    whole = Ensemble.from_model(RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y))
    names = whole.feature_names
    domain = Domain.of(
        names, {names[0]: (4.0, 8.0)} if limited else {}, integers=[names[1]] if limited else []
    )
    ensemble = whole.within(domain)
    result = solve(ensemble, objective="leaves")
    assert verify_born_again(ensemble, result).ok
    named = next(note for note in result.notes if note.startswith("The domain: "))
    others = tuple(note for note in result.notes if note != named)
    wider = named.replace("8", "80") if limited else named.replace("no limits", "x from 0 to 1")
    for notes in (others, (*others, wider), (*result.notes, "The domain: no limits.")):
        assert not verify_born_again(ensemble, replace(result, notes=notes)).ok
    everywhere = solve(whole, objective="leaves")
    assert verify_born_again(whole, everywhere).ok
    assert not verify_born_again(whole, replace(everywhere, notes=(*everywhere.notes, named))).ok
