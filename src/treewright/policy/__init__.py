"""Rewards of actions that were not taken, estimated from data; and the value of a policy on new rows."""

from treewright.policy._scores import ActionScores, doubly_robust_scores
from treewright.policy._value import PolicyValue, policy_value

__all__ = ["ActionScores", "PolicyValue", "doubly_robust_scores", "policy_value"]
