"""How a tree decides about groups of people: shares and errors with their intervals, counted on the given rows."""

from treewright.audit._audit import audit_groups
from treewright.audit._groups import Grouping, group_rows
from treewright.audit._result import GroupAudit, GroupRates, Rate

__all__ = ["GroupAudit", "GroupRates", "Grouping", "Rate", "audit_groups", "group_rows"]
