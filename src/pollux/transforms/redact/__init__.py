"""Sessions without their secrets."""

from pollux.transforms.redact.own_names import user_name
from pollux.transforms.redact.redactor import RULES, Finding, RedactionOptions, Redactor
from pollux.transforms.redact.rule import Rule

__all__ = ["RULES", "Finding", "RedactionOptions", "Redactor", "Rule", "user_name"]
