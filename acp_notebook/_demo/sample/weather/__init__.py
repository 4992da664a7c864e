"""Temperatures of a week."""

WEEK = [11.5, 14.0, 9.0, 12.5, 17.0, 10.0]
