"""The first picture: what two links carry together, over the losses of the second, with three schedulers.

python notebooks/first_picture.py FILE
"""

import sys

import anabranch
from anabranch import plots


def main(file: str) -> None:
    """Draws it into FILE.svg and FILE.pdf."""
    phone = anabranch.Scenario.load("scenarios/wifi-lte.toml")
    table = anabranch.sweep(
        phone,
        {
            "link.lte.loss": "0.0001..0.03:6 log",
            "flow.main.sctp.scheduler": ["round-robin", "ecf", "in-order-arrival"],
        },
        runs=10,
    )
    axes = plots.mean_band(
        table, "link.lte.loss", "main.goodput_bps", by="flow.main.sctp.scheduler", logx=True
    )
    plots.save(axes, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
