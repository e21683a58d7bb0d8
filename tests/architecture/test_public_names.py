"""The public names are those below, every one documented; a new one is added here on purpose."""

import ast
import builtins
import dataclasses
import enum
import importlib
import importlib.util
import inspect
import re
import textwrap
import typing
from collections.abc import Iterator

import pytest

import treewright

PUBLIC = [
    "BornAgainTreeClassifier",
    "BornAgainTreeRegressor",
    "Frontier",
    "HybridTreeClassifier",
    "LatentTreeClassifier",
    "LatentTreeClusterer",
    "LatentTreeRegressor",
    "LeafAccuracyTreeClassifier",
    "LeafAccuracyTreeClassifierCV",
    "MIPTreeClassifier",
    "NearOptimalTreeClassifier",
    "NearOptimalTrees",
    "OptimalPolicyTree",
    "OptimalProbabilityTree",
    "OptimalSurvivalTree",
    "OptimalTreeClassifier",
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressor",
    "OptimalTreeRegressorCV",
    "Problem",
    "RocFrontier",
    "ShardedTree",
    "SolveResult",
    "SolveStatus",
    "Split",
    "SplitMatrix",
    "Table",
    "ThresholdGuesser",
    "Tree",
    "__version__",
    "accuracy_frontier",
    "audit_groups",
    "compare_with_cart",
    "fit_shards",
    "near_optimal_trees",
    "raise_on_interrupt",
    "regression_frontier",
    "roc_frontier",
]
PACKAGES = [
    "audit",
    "binarize",
    "bornagain",
    "convert",
    "datasets",
    "errors",
    "estimators",
    "guess",
    "leaf_accuracy",
    "lines",
    "mip",
    "near_optimal",
    "policy",
    "problem",
    "result",
    "search",
    "shards",
    "show",
    "sources",
    "survival",
    "table",
    "tree",
    "verify",
]
if importlib.util.find_spec("torch") is not None:
    PACKAGES.append("latent")


def test_public_names() -> None:
    assert sorted(treewright.__all__) == PUBLIC
    assert dir(treewright) == PUBLIC
    assert {*PACKAGES, "latent"} == set(treewright._PACKAGES)
    for name in PUBLIC:
        assert getattr(treewright, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        treewright.Nonsense  # noqa: B018


def test_every_error_and_warning_is_public() -> None:
    made = {name for name, thing in vars(treewright.errors).items() if isinstance(thing, type)}
    assert made == set(treewright.errors.__all__)


def documented_objects() -> Iterator[tuple[str, object]]:
    for package in PACKAGES:
        module = importlib.import_module(f"treewright.{package}")
        for name in module.__all__:
            yield f"{package}.{name}", getattr(module, name)


def sections(docstring: str) -> dict[str, str]:
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return dict(zip(["Summary", *parts[1::2]], parts[::2], strict=True))


def documented_parameters(text: str) -> list[str]:
    entries = re.findall(r"^(\*?\*?\w[\w, *]*?)(?: :.*)?$", text, flags=re.MULTILINE)
    return [name.strip().lstrip("*") for entry in entries for name in entry.split(",")]


def named_base_fields(thing: type, docstring: str) -> set[str]:
    """Fields of a public base class, if the docstring sends its reader there; a class cannot merely leave them out."""
    public = {id(other) for _, other in documented_objects()}
    bases = [b for b in thing.__mro__[1:] if id(b) in public and f"`{b.__name__}`" in docstring]
    return {field.name for base in bases for field in dataclasses.fields(base)}


@pytest.mark.parametrize(
    ("name", "thing"), list(documented_objects()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_every_public_name_is_documented(name: str, thing: object) -> None:
    """A numpydoc docstring whose Parameters are those of the signature, in order."""
    if (
        typing.get_origin(thing) is not None
    ):  # an alias is as documented as its members that are classes of ours
        for member in typing.get_args(thing):  # the others are literals, or documented by Python itself
            if isinstance(member, type) and member.__module__.startswith("treewright."):
                test_every_public_name_is_documented(name, member)
        return
    if isinstance(thing, tuple):  # a constant says itself what it is
        return
    docstring = inspect.getdoc(thing)
    assert docstring, f"{name} has no docstring"
    if isinstance(thing, type) and issubclass(thing, (enum.Enum, BaseException)):
        return
    parameters = [p for p in inspect.signature(thing).parameters if p not in ("self", "args", "kwargs")]  # type: ignore[arg-type]
    if dataclasses.is_dataclass(thing) and isinstance(thing, type):  # a base class documents its own fields
        inherited = named_base_fields(thing, docstring)
        parameters = [p for p in parameters if p not in inherited]
    if parameters:
        assert documented_parameters(sections(docstring).get("Parameters", "")) == parameters
    if inspect.isfunction(thing) and inspect.signature(thing).return_annotation not in (None, "None"):
        text = sections(docstring)
        assert "Returns" in text or "Yields" in text or text["Summary"].startswith(("Return", "Yield")), (
            f"{name} returns what?"
        )


def test_public_objects_have_an_example() -> None:
    """Classes and functions; `test_doctests` runs them."""
    lacking = {
        name
        for name, thing in documented_objects()
        if (inspect.isclass(thing) or inspect.isfunction(thing))
        and typing.get_origin(thing) is None
        and ">>>" not in (inspect.getdoc(thing) or "")
    }
    assert not lacking


def public_functions() -> Iterator[tuple[str, typing.Any]]:
    """Public functions, and the public methods that public classes define themselves."""
    for name, thing in documented_objects():
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing) and typing.get_origin(thing) is None:
            for own, member in vars(thing).items():
                function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
                if inspect.isfunction(function) and not own.startswith("_"):
                    yield f"{name}.{own}", function


def public_methods() -> Iterator[tuple[str, typing.Any]]:
    """Public methods of public classes, those of base classes of ours with them; each once."""
    seen = set()
    for name, thing in documented_objects():
        if not inspect.isclass(thing) or typing.get_origin(thing) is not None:
            continue
        for own in dir(thing):
            member = inspect.getattr_static(thing, own)
            function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
            ours = inspect.isfunction(function) and function.__module__.startswith("treewright.")
            if ours and not own.startswith("_") and function not in seen:
                seen.add(function)
                yield f"{name}.{own}", function


@pytest.mark.parametrize(
    ("name", "method"), list(public_methods()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_every_public_method_is_documented(name: str, method: typing.Any) -> None:
    """Its Parameters are those of the signature, in order, and what it returns is said."""
    text = sections(inspect.getdoc(method) or "")
    signature = inspect.signature(method)
    parameters = [p for p in signature.parameters if p not in ("self", "cls")]
    assert documented_parameters(text.get("Parameters", "")) == parameters, name
    if signature.return_annotation not in (None, "None"):
        assert "Returns" in text or "Yields" in text or text["Summary"].startswith(("Return", "Yield")), (
            f"{name} returns what?"
        )


def raised_by(function: typing.Any) -> dict[str, set[str]]:
    """The classes of errors that the body of a function raises and does not catch, each with its bases' names."""
    nodes = list(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))))
    caught = {ast.unparse(node.type) for node in nodes if isinstance(node, ast.ExceptHandler) and node.type}
    found = {}
    for node in nodes:
        if isinstance(node, ast.Raise) and node.exc is not None:
            name = ast.unparse(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
            error = function.__globals__.get(name, getattr(builtins, name, None))
            if name not in caught and isinstance(error, type):
                found[name] = {base.__name__ for base in error.__mro__ if base is not Exception}
    return found


INTERNAL = {
    "ModelUnfinished",
    "TimeOver",
}  # caught on the way out, by what the function called or was called by


@pytest.mark.parametrize(
    ("name", "function"), list(public_functions()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_what_a_public_function_raises_is_documented(name: str, function: typing.Any) -> None:
    """Every error that its own body raises stands under Raises, by its class or a class above it."""
    told = sections(inspect.getdoc(function) or "").get("Raises", "")
    lacking = {
        error
        for error, bases in raised_by(function).items()
        if error not in INTERNAL and not any(re.search(rf"\b{base}\b", told) for base in bases)
    }
    assert not lacking, f"{name} raises {', '.join(sorted(lacking))}, which its docstring does not say"


def test_raised_errors_are_seen() -> None:
    """The test above sees a raise in a body, and none that the body catches itself."""

    def refuses() -> None:
        raise LookupError("no")

    def recovers() -> None:
        try:
            raise KeyError("inside")
        except KeyError:
            pass

    assert set(raised_by(refuses)) == {"LookupError"}
    assert not raised_by(recovers)
