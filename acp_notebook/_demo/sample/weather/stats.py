"""Small statistics for lists of temperatures in °C."""


def mean(values):
    """Arithmetic mean."""
    return sum(values) / len(values)


def median(values):
    """Middle value; with an even number of values the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle]


def spread(values):
    """Difference between the warmest and the coldest value."""
    return max(values) - min(values)
