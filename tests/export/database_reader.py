#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how many rows the tables of a database of `rondo export --sqlite` have, and how many foreign keys are broken."""
import json
import sqlite3
import sys


def main(words):
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    database = sqlite3.connect(f"file:{words[0]}?mode=ro", uri=True)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    counts = {name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    counts["broken_keys"] = len(database.execute("PRAGMA foreign_key_check").fetchall())
    counts["whole"] = database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    print(json.dumps(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
