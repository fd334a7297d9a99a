"""Rust sources as text: what is code in them, where a bracket closes, and what only tests compile."""

import re

NOT_CODE = re.compile(
    r"""
      //[^\n]*                                   # a line comment
    | /\*.*?\*/                                  # a block comment
    | \b(?:b|c)?r(?P<hashes>\#*)".*?"(?P=hashes) # a raw string
    | "(?:\\.|[^"\\])*"                          # a string
    | '(?:\\(?:[^u]|u\{[^}]*\})[0-9a-fA-F]*|[^\\'])'  # a character, but no lifetime
    """,
    re.DOTALL | re.VERBOSE,
)
FOR_TESTS = re.compile(r"#\[cfg\(test\)\]")


def only_code(source: str) -> str:
    """The source with comments, strings and characters blanked, line for line."""
    return NOT_CODE.sub(lambda found: blanked(found[0]), source)


def without_tests(code: str) -> str:
    """The code with every item blanked that only tests compile, line for line."""
    while found := FOR_TESTS.search(code):
        opening = body(code, found.end())
        end = len(code) if (end := code.find(";", found.end())) < 0 else end
        last = end if opening is None else closing(code, opening)
        code = code[: found.start()] + blanked(code[found.start() : last + 1]) + code[last + 1 :]
    return code


def blanked(text: str) -> str:
    """As many blanks, on as many lines."""
    return re.sub(r"[^\n]", " ", text)


def closing(code: str, opening: int) -> int:
    """Where the bracket opened at `opening` is closed."""
    depth = 0
    for bracket in re.compile(r"[][(){}]").finditer(code, opening):
        depth += 1 if bracket[0] in "([{" else -1
        if depth == 0:
            return bracket.start()
    return len(code)


def body(code: str, signature: int) -> int | None:
    """Where the body of the item declared at `signature` opens; None for a declaration without one."""
    at = signature
    while found := re.compile(r"[(\[{;]").search(code, at):
        if found[0] in "{;":
            return found.start() if found[0] == "{" else None
        at = closing(code, found.start()) + 1
    return None
