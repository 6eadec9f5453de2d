#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What no GLSL says: SPIR-V from its assembly, as a header like glslang's.

assemble.py SPIRV-AS NAME.spvasm HEADER: an array NAME_spv."""
import pathlib
import struct
import subprocess
import sys

assembler, source, header = sys.argv[1:]
code = subprocess.run([assembler, '--target-env', 'spv1.3', '-o', '-', source], check=True, capture_output=True).stdout
words = struct.unpack(f'<{len(code) // 4}I', code)
name = pathlib.Path(source).stem
pathlib.Path(header).write_text(
    f'#pragma once\nconst uint32_t {name}_spv[] = {{\n' + ',\n'.join(map(hex, words)) + '};\n')
