"""The commands of `acp-notebook`, a module each group of them."""
