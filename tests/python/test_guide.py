"""The guide's examples with a prompt are run, in its order."""

import doctest
import pathlib
import re


def test_the_examples_of_the_guide_say_what_happens():
    text = pathlib.Path("docs/python.md").read_text()
    examples = "\n".join(re.findall(r"```python\n(>>> .*?)```", text, flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "docs/python.md", "docs/python.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(test)
    assert len(test.examples) > 15 and runner.failures == 0
