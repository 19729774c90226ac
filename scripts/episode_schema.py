"""Write the JSON schema of episode files, which the package ships, anew from the model."""

from __future__ import annotations

import json
from pathlib import Path

from qv_env.episodes.episode import json_schema
from qv_env.episodes.files import SCHEMA_FILE
from qv_env.files import write_whole

SCHEMA = Path(__file__).parent.parent / "qv_env" / "episodes" / SCHEMA_FILE


def main() -> None:
    """Write the schema."""
    write_whole(SCHEMA, json.dumps(json_schema(), indent=2) + "\n")
    print(f"wrote {SCHEMA}")


if __name__ == "__main__":
    main()
