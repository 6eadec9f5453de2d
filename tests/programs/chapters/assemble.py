#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What no GLSL says: SPIR-V from its assembly, as a header like glslang's.

assemble.py SPIRV-AS NAME.spvasm HEADER: an array NAME_spv.

A line that not all assemblers take has another one for them in its comment, after `; or: `."""
import pathlib
import re
import struct
import subprocess
import sys

assembler, source, header = sys.argv[1:]


def assemble(text):
    return subprocess.run([assembler, '--target-env', 'spv1.3', '-o', '-', '-'], input=text.encode(), capture_output=True)


text = pathlib.Path(source).read_text()
outcome = assemble(text)
if outcome.returncode != 0:
    outcome = assemble(re.sub(r'^.*; or: ', '', text, flags=re.MULTILINE))
if outcome.returncode != 0:
    sys.exit(f'{source}: {outcome.stderr.decode()}')
code = outcome.stdout
words = struct.unpack(f'<{len(code) // 4}I', code)
name = pathlib.Path(source).stem
pathlib.Path(header).write_text(
    f'#pragma once\nconst uint32_t {name}_spv[] = {{\n' + ',\n'.join(map(hex, words)) + '};\n')
