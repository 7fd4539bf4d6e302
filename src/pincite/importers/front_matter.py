"""Front matter: the YAML block that many tools put before a Markdown file's content."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

# A byte order mark counts as front matter: it is kept beside the content, not in it.
_BLOCK = re.compile(
    r"\ufeff?---[ \t]*\r?\n(?P<yaml>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_LINE = re.compile(
    r"^(?P<key>[^\W\d][\w-]*)[ \t]*:(?:[ \t]+(?P<value>.*?))?[ \t]*\r?$", re.MULTILINE
)
_OPENING = re.compile(r"(\ufeff?---[ \t]*(\r?\n))")
_TITLE_LINE = re.compile(r"^title[ \t]*:.*?(\r?)$", re.MULTILINE)
_UNSAFE = re.compile("[\x00\ud800-\udfff]")
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file's front matter.

    Attributes:
        raw: As it stands in the file, delimiters and byte order mark included; often empty.
        values: What it says. Scalars are text, as they are written.
        repair: What was wrong with it; None if nothing was.
    """

    raw: str
    values: Mapping[str, object]
    repair: str | None = None

    def text(self, key: str) -> str | None:
        """The trimmed text under a key; None if there is none, or it is blank.

        YAML can write what no text here may hold (NUL, half a surrogate pair); it is left out.
        """
        value = self.values.get(key)
        return _UNSAFE.sub("", value).strip() or None if isinstance(value, str) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """The texts under a key that holds one or a list of them."""
        value = self.values.get(key)
        several = value if isinstance(value, list) else [value]
        return tuple(one for one in several if isinstance(one, str) and one.strip())


def split(text: str) -> tuple[FrontMatter, str]:
    """Parts a file's text into its front matter and its content.

    A block that does not parse is read line by line; a block that holds no key at all is
    content (two thematic breaks, CommonMark section 4.1). ``raw`` and the content together
    are always ``text``.
    """
    block = _BLOCK.match(text)
    if block:
        values, repair = _parse(block["yaml"])
        if values is not None:
            return FrontMatter(block[0], values, repair), text[block.end() :]
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    return FrontMatter(mark, {}), text[len(mark) :]


def with_title(raw: str, title: str) -> str:
    """Front matter that says ``title`` and is otherwise as it was."""
    line = f"title: {json.dumps(title, ensure_ascii=False)}"
    opening = _OPENING.match(raw)
    if opening is None:
        return f"{raw}---\n{line}\n---\n"
    if _TITLE_LINE.search(raw):
        return _TITLE_LINE.sub(lambda found: line + found[1], raw, count=1)
    return f"{opening[1]}{line}{opening[2]}{raw[opening.end() :]}"


def _parse(block: str) -> tuple[Mapping[str, object] | None, str | None]:
    # The base loader makes no dates, numbers or objects: a title of 2024-01-01 stays a text.
    yaml = YAML(typ="base", pure=True)
    yaml.allow_duplicate_keys = True
    try:
        values = yaml.load(block)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        return _salvage(block, f"line {line}: {error.problem}")
    except (YAMLError, ValueError, RecursionError) as error:
        return _salvage(block, str(error).partition("\n")[0] or type(error).__name__)
    if values is None:
        return {}, None
    if not isinstance(values, dict):
        return None, None
    return {key: value for key, value in values.items() if isinstance(key, str)}, None


def _salvage(block: str, problem: str) -> tuple[Mapping[str, object] | None, str | None]:
    values: dict[str, object] = {
        line["key"]: (line["value"] or "").strip("\"'") for line in _LINE.finditer(block)
    }
    if not values:
        return None, None
    return values, f"front matter is no valid YAML ({problem}); its lines were read one by one"
