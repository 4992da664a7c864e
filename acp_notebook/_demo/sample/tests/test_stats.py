import unittest

from weather import WEEK
from weather.stats import mean, median, spread


class StatsTest(unittest.TestCase):
    def test_mean(self):
        self.assertAlmostEqual(mean([10.0, 12.0, 14.0]), 12.0)

    def test_median_of_three(self):
        self.assertEqual(median([14.0, 10.0, 12.0]), 12.0)

    def test_median_of_four(self):
        self.assertEqual(median([10.0, 12.0, 14.0, 20.0]), 13.0)

    def test_spread(self):
        self.assertEqual(spread(WEEK), 8.0)


if __name__ == "__main__":
    unittest.main()
