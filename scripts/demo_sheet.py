# SPDX-License-Identifier: Apache-2.0
"""A contact sheet: one PNG of several, made small. Python's standard library is enough for the PNGs that the player writes:
of 8 or 16 bits a component, not interlaced, without a palette."""
import itertools
import pathlib
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COMPONENTS = {0: 1, 2: 3, 4: 2, 6: 4}  # by the type of color
COLUMNS, MOST, WIDTH, GAP = 4, 12, 200, 6
BACKGROUND = 0x20
MOST_BYTES = 64 << 20  # of pixels that are decoded: as many images as fit, and at least one


class NotRead(Exception):
    """A PNG of another kind."""


def size_of(path):
    """Width, height, bits of a component, components."""
    with open(path, "rb") as file:
        start = file.read(29)
    if start[:8] != SIGNATURE or len(start) < 29:
        raise NotRead(f"{path}: no PNG")
    width, height, bits, color, _, _, interlaced = struct.unpack(">IIBBBBB", start[16:29])
    if color not in COMPONENTS or bits not in (8, 16) or interlaced:
        raise NotRead(f"{path}: a PNG of another kind than the player writes")
    return width, height, bits, COMPONENTS[color]


def paeth(left, up, corner):
    base = left + up - corner
    by_left, by_up, by_corner = abs(base - left), abs(base - up), abs(base - corner)
    if by_left <= by_up and by_left <= by_corner:
        return left
    return up if by_up <= by_corner else corner


def without_filter(kind, row, above, step):
    """A row of bytes from its filtered ones (PNG specification, section 9)."""
    if kind == 0:
        return row
    if kind == 1:
        plain = bytearray(len(row))
        for channel in range(step):
            plain[channel::step] = bytes(itertools.accumulate(row[channel::step], lambda a, b: (a + b) & 255))
        return bytes(plain)
    if kind == 2:
        return bytes([(a + b) & 255 for a, b in zip(row, above)])
    plain = bytearray(row)
    for i, up in enumerate(above):
        left, corner = (plain[i - step], above[i - step]) if i >= step else (0, 0)
        plain[i] = (row[i] + ((left + up) >> 1 if kind == 3 else paeth(left, up, corner))) & 255
    return bytes(plain)


def rows_of(path):
    """The rows of a PNG, each as the bytes of red, of green and of blue."""
    width, _, bits, components = size_of(path)
    data, packed, at = path.read_bytes(), b"", 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    step = components * bits // 8
    bytes_, above = zlib.decompress(packed), bytes(width * step)
    for start in range(0, len(bytes_), width * step + 1):
        above = without_filter(bytes_[start], bytes_[start + 1:start + 1 + width * step], above, step)
        channels = [above[channel * bits // 8::step] for channel in range(components)]
        yield channels[:3] if components >= 3 else channels[:1] * 3


def small(path, width):
    """Its rows, of `width` pixels at most: each pixel is the mean of a square."""
    every = -(-size_of(path)[0] // width)
    rows = rows_of(path)
    while square := list(itertools.islice(rows, every)):
        pixels = []
        for channel in range(3):
            columns = [row[channel][i::every] for row in square for i in range(every)]
            pixels.append(bytes(sum(parts) // len(columns) for parts in zip(*columns)))
        yield bytes(itertools.chain.from_iterable(zip(*pixels)))


def chosen(paths):
    """At most so many of them, evenly spread, from the first to the last."""
    most, room = MOST, MOST_BYTES
    for path in paths:
        width, height, bits, components = size_of(path)
        most = max(1, min(most, room // max(1, width * height * components * bits // 8)))
    count = min(most, len(paths))
    return [paths[i * (len(paths) - 1) // max(1, count - 1)] for i in range(count)]


def write(path, width, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = b"".join(b"\0" + row for row in rows)
    path.write_bytes(SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


def make(paths, sheet):
    """Writes the sheet of the images; returns how many it shows."""
    shown = chosen(sorted(map(pathlib.Path, paths)))
    images = [list(small(path, WIDTH)) for path in shown]
    columns = min(COLUMNS, len(images))
    cell = max(len(image[0]) for image in images) // 3
    line = columns * (cell + GAP) + GAP
    rows = [bytes([BACKGROUND]) * (3 * line)] * GAP
    gap = bytes([BACKGROUND]) * (3 * GAP)
    for first in range(0, len(images), columns):
        beside = images[first:first + columns]
        for y in range(max(map(len, beside))):
            row = gap + b"".join((image[y] if y < len(image) else b"").ljust(3 * cell, bytes([BACKGROUND])) + gap for image in beside)
            rows.append(row.ljust(3 * line, bytes([BACKGROUND])))
        rows += [bytes([BACKGROUND]) * (3 * line)] * GAP
    write(sheet, line, rows)
    return len(images)
