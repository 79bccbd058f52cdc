"""
Writes a typed method for every operation of the API's description: no kept generator makes them so that they raise
refusals and take rows of later versions. Needs nothing but Python:

    python3 write_operations.py openapi.json tagtrail/operations.py
"""

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

Json = dict[str, Any]

HEAD = '''"""Generated from the description of the API: changes are lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, cast

from .connection import Connection

if TYPE_CHECKING:
    from . import models


class Operations(Connection):
    """The operations of the API. A filter that is None is left out."""
'''


def with_named_answers(description: Json) -> Json:
    """The description with a schema of its own, and so a name, for every answer."""
    for _, _, operation in _operations(description):
        media = _answer(operation)
        if media is not None and "$ref" not in media["schema"]:
            name = _of_letters(operation["operationId"])
            name = f"{name[0].upper()}{name[1:]}Answer"
            description["components"]["schemas"][name] = media["schema"]
            media["schema"] = {"$ref": f"#/components/schemas/{name}"}
    return description


def write_operations(description: Json) -> str:
    methods = [_method(*operation) for operation in _operations(with_named_answers(description))]
    return HEAD + "".join(methods)


def _operations(description: Json) -> list[tuple[str, str, Json]]:
    return [
        (path, method, operation)
        for path, item in description["paths"].items()
        for method, operation in item.items()
        if "operationId" in operation
    ]


def _answer(operation: Json) -> Json | None:
    """The JSON of a success; None if it has no body."""
    success = next(answer for status, answer in operation["responses"].items() if status[0] == "2")
    media: Json | None = success.get("content", {}).get("application/json")
    return media


def _method(path: str, method: str, operation: Json) -> str:
    parameters = operation.get("parameters", [])
    in_path = [each for each in parameters if each["in"] == "path"]
    in_query = [each for each in parameters if each["in"] == "query"]
    arguments = [f"{_name(each)}: {_type(each['schema'])}" for each in in_path]
    passed = [f'"{method.upper()}"', f"{json.dumps(path)}"]
    if in_path:
        passed.append(f"path_parameters={_dict_of(in_path)}")
    for media_type, media in operation.get("requestBody", {}).get("content", {}).items():
        arguments.append(f"body: {_model(media['schema'])}")
        passed += ["body=body", f"media_type={json.dumps(media_type)}"]
    if in_query:
        arguments += ["*", *map(_keyword_argument, sorted(in_query, key=lambda each: not each.get("required")))]
        passed.append(f"query={_dict_of(in_query)}")
    media = _answer(operation)
    answer = "None" if media is None else _model(media["schema"])
    asked = f"self._ask({', '.join(passed)})"
    return f"""
    def {_snake(operation["operationId"])}(self, {", ".join(arguments)}) -> {answer}:
        {_docstring(operation)}
        {asked if media is None else f'return cast("{answer}", {asked})'}
"""


def _keyword_argument(parameter: Json) -> str:
    argument = f"{_name(parameter)}: {_type(parameter['schema'])}"
    return argument if parameter.get("required") else f"{argument} | None = None"


def _type(schema: Json) -> str:
    if "enum" in schema:
        return f"Literal[{', '.join(map(json.dumps, schema['enum']))}]"
    if schema["type"] == "array":
        item = _type(schema["items"])
        return f"{item} | Sequence[{item}]"
    if schema["type"] == "object":
        return f"Mapping[str, {_type(schema['additionalProperties'])}]"
    if schema.get("format") == "date-time":
        return "str | datetime"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[schema["type"]]


def _model(schema: Json) -> str:
    return f"models.{_of_letters(schema['$ref'].rpartition('/')[2])}"


def _dict_of(parameters: list[Json]) -> str:
    entries = [f"{json.dumps(each['name'])}: {_name(each)}" for each in parameters]
    return "{" + ", ".join(entries) + "}"


def _docstring(operation: Json) -> str:
    paragraphs = [operation["summary"], *operation.get("description", "").split("\n\n")]
    text = "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in paragraphs if paragraph)
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return textwrap.indent(f'"""{text}"""', " " * 8).lstrip()


def _name(parameter: Json) -> str:
    name = _of_letters(parameter["name"])
    return f"{name}_" if keyword.iskeyword(name) else name


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", _of_letters(name)).lower()


def _of_letters(name: str) -> str:
    """Whoever serves a description does not write code."""
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise ValueError(f"{name!r} in the description cannot be a name in Python")
    return name


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(write_operations(json.loads(Path(sys.argv[1]).read_text())))
