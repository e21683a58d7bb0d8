"""Tables that come in pieces: arrays, frames, lazy frames, Parquet and CSV files, query results."""

from treewright.sources._encode import encoded_pieces
from treewright.sources._open import open_source
from treewright.sources._schema import Coding, Schema, SchemaBuilder
from treewright.sources._source import Piece, Roles, Source

__all__ = [
    "Coding",
    "Piece",
    "Roles",
    "Schema",
    "SchemaBuilder",
    "Source",
    "encoded_pieces",
    "open_source",
]
