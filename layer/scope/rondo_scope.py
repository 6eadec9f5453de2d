# SPDX-License-Identifier: Apache-2.0
"""Named phases of a program, for a Rondo recording to know.

    from rondo_scope import scope
    with scope("prefill"):
        ...

Harmless where nothing records, or where librondo-scope.so is not installed.
RONDO_SCOPE_LIBRARY names the library where the dynamic loader does not find it.
"""

import contextlib
import ctypes
import os
import sysconfig


def _open():
    named = os.environ.get("RONDO_SCOPE_LIBRARY")
    if named:
        return ctypes.CDLL(named)
    try:
        return ctypes.CDLL("librondo-scope.so.0")
    except OSError:
        # Installed below the same prefix as this file, where the dynamic loader does not look:
        # PREFIX/lib/pythonX.Y/…-packages/ and PREFIX/lib/x86_64-linux-gnu/ (or lib/, or lib64/).
        lib = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        for place in (os.path.join(lib, sysconfig.get_config_var("MULTIARCH") or ""), lib, lib + "64"):
            path = os.path.join(place, "librondo-scope.so.0")
            if os.path.exists(path):
                return ctypes.CDLL(path)
        raise


def _load():
    try:
        library = _open()
        library.rondo_scope_begin.argtypes = [ctypes.c_char_p]
        library.rondo_scope_begin.restype = None
        library.rondo_scope_end.argtypes = []
        library.rondo_scope_end.restype = None
        return library
    except (OSError, AttributeError):
        return None


_library = _load()


def _bytes(name):
    """What stands in the recording: anything, as str() has it, up to a null."""
    if name is None or isinstance(name, bytes):
        return name
    return str(name).encode(errors="surrogateescape").split(b"\0")[0]


def begin(name):
    if _library is not None:
        _library.rondo_scope_begin(_bytes(name))


def end():
    if _library is not None:
        _library.rondo_scope_end()


@contextlib.contextmanager
def scope(name):
    begin(name)
    try:
        yield
    finally:
        end()
