# SPDX-License-Identifier: Apache-2.0
"""python_directory.py PREFIX: prints where modules below PREFIX are found by this Python.

A prefix that it does not look in gets the usual place, for PYTHONPATH.
"""

import os
import site
import sys

prefix = os.path.normpath(sys.argv[1])
places = [path for path in [*site.getsitepackages(), *sys.path]
          if path.startswith(prefix + os.sep) and path.endswith(("dist-packages", "site-packages"))]
# /usr holds the system's modules under one name and, for Debian's Python, those of /usr/local under another.
places = [path for path in places if prefix != "/usr" or not path.startswith("/usr/local/")]
major, minor = sys.version_info[:2]
print(places[0] if places else os.path.join(prefix, "lib", f"python{major}.{minor}", "site-packages"))
