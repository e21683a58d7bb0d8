"""Options for reading a CSV file: a command with the parameter ``how`` gets all of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypedDict, get_type_hints

import typer

__all__ = ["OPTIONS", "CsvOptions", "reads_csv"]


class CsvOptions(TypedDict):
    """How a CSV file is read; what is None is found out from the file."""

    separator: Annotated[
        str | None,
        typer.Option(help="Column separator; detected if it is a comma, semicolon, tab or bar."),
    ]
    missing: Annotated[
        list[str] | None,
        typer.Option(
            "--missing",
            help="A field that means 'missing', besides ?, NA and the like: in all columns, or in one. Repeatable.",
            metavar="[COLUMN=]TEXT",
        ),
    ]
    encoding: Annotated[str | None, typer.Option(help="Text encoding of the CSV file.", show_default="utf-8")]
    decimal_comma: Annotated[
        bool | None,
        typer.Option(
            "--decimal-comma/--decimal-point",
            help="How to read 1,200 if the file does not decide it: as 1.2, or as 1200.",
            show_default="by the other numbers",
        ),
    ]
    decimal: Annotated[
        list[str] | None,
        typer.Option(
            "--decimal",
            help="The same for one column only: comma, or point. Repeatable.",
            metavar="COLUMN=MARK",
        ),
    ]
    day_first: Annotated[
        bool | None,
        typer.Option(
            "--day-first/--month-first",
            help="How to read 03/04/2020 if the file does not decide it: as a day in April, or in March.",
            show_default="by the other dates",
        ),
    ]


OPTIONS = get_type_hints(CsvOptions, include_extras=True)


def reads_csv(verb: Callable[..., None]) -> Callable[..., None]:
    """Replace a command's parameter ``how`` by the options of `CsvOptions`; the command gets their values in it."""
    parameters: list[inspect.Parameter] = []
    signature = inspect.signature(verb, eval_str=True)
    for parameter in signature.parameters.values():
        if parameter.name == "how":
            parameters += [
                parameter.replace(name=name, annotation=annotation, default=None)
                for name, annotation in OPTIONS.items()
            ]
        else:
            parameters.append(parameter)

    @functools.wraps(verb)
    def run(**given: Any) -> None:
        verb(how={name: given.pop(name) for name in OPTIONS}, **given)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
