"""Generates what a package is made of besides what stands in this folder, from `openapi.json`: see README.md."""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
from write_operations import with_named_answers, write_operations  # noqa: E402

OPTIONS = (
    "--input-file-type openapi --openapi-scopes schemas --output-model-type typing.TypedDict"
    " --target-python-version 3.10 --enum-field-as-literal all --use-union-operator --parent-scoped-naming"
    " --no-use-closed-typed-dict --use-schema-description --use-field-description --formatters builtin"
    " --disable-timestamp"
).split()
NEWER = "from typing_extensions import NotRequired\n"
EITHER = f"""import sys

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    {NEWER}"""


class GenerateFromDescription(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = Path(self.root)
        source = folder / "openapi.json"
        if not source.exists():
            raise FileNotFoundError(f"{source}: save the description of your API there, see README.md")
        description = with_named_answers(json.loads(source.read_text()))
        with TemporaryDirectory() as scratch:
            named, models = Path(scratch, "openapi.json"), Path(scratch, "models.py")
            named.write_text(json.dumps(description))
            generator = [sys.executable, "-m", "datamodel_code_generator", *OPTIONS]
            subprocess.run([*generator, "--input", named, "--output", models], check=True)
            written = models.read_text()
        if NEWER not in written:
            raise ValueError(f"the generator no longer writes {NEWER}")
        (folder / "tagtrail/models.py").write_text(written.replace(NEWER, EITHER))
        (folder / "tagtrail/operations.py").write_text(write_operations(description))
