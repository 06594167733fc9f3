"""OpenTelemetry traces: what was asked of models and tools, as spans with the names of the GenAI conventions."""

from pollux.writers.otel.trace import WRITER

__all__ = ["WRITER"]
