"""Sessions without their secrets."""

from pollux.transforms.redact.own_names import user_name
from pollux.transforms.redact.redactor import RULES, Finding, Private, Redactor
from pollux.transforms.redact.rule import Rule

__all__ = ["RULES", "Finding", "Private", "Redactor", "Rule", "user_name"]
