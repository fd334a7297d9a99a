"""What ``make test`` runs in a minute: three examinations with ``--light``, beside each other."""

import trials
from drawing import Network, plain_links
from planted import PLANTS
from tally import Tally


class Quick:
    """Healthy links, a dead path, and a drawn pair of the kernel's links."""

    def __init__(self, arguments):
        self.seed = arguments.seed
        self.network = Network(f"{self.seed} kernel", plain_links(self.seed), is_of_kernel=True, shift=60)

    def jobs(self):
        """What is to be run."""
        plants = [plant for plant in PLANTS if plant.name in ("nothing", "dead path")]
        return [
            *(
                lambda plant=plant: in_time(trials.of_plant, plant, self.seed, 0, is_light=True)
                for plant in plants
            ),
            lambda: in_time(trials.of_network, self.network, is_light=True),
        ]

    def rows(self, results):
        """The rows of all results."""
        right = Tally()
        dead, nothing, network = results
        for result in results:
            if result.failure:
                right.add(False, result.name, result.failure)
        if not nothing.failure:
            causes = nothing.examination.causes
            right.add(not causes, nothing.name, f"found {', '.join(causes)}")
        if not dead.failure:
            causes = dead.examination.causes
            right.add(causes[:1] == ["dead-path"], dead.name, f"found {', '.join(causes) or 'nothing'}")
        if not network.failure:
            for one in network.judged:
                right.add(one.is_right, network.name, one.line)
            for path, carried in enumerate(network.examination.carried, start=1):
                is_light = carried <= trials.LIGHT_BYTES
                right.add(is_light, network.name, f"p{path} carried {carried / 1e6:.2f} MB")
        return [right.row("quick, with --light", "all", 1.0)]


def in_time(trial, *words, **more):
    """The result of a run, repeated where an end was slow: no end is, but the machine may be busy."""
    for _ in range(trials.TRIES):
        result = trial(*words, **more)
        if result.failure or "slow-processor" not in result.examination.causes:
            break
    return result
