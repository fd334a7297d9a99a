"""The program's own answers, for tests that compare the package's with them."""

import json
import os
import pathlib
import subprocess


def program(*arguments):
    """The document that `anabranch ARGUMENTS --json` prints."""
    built = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "debug" / "anabranch"
    done = subprocess.run(
        [built, *arguments, "--json", "--quiet"], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)
