"""The records that Qwen Code writes since 0.4."""
