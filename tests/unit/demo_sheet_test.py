#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The contact sheet of scripts/demo: PNGs of every filter and kind that the player writes, and what it refuses."""
import pathlib
import random
import struct
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

import demo_sheet  # noqa: E402


def png(width, bits, color, pixels, filters=(0,), interlaced=0):
    """Its rows are filtered by one of `filters` after the other (PNG specification, section 9)."""
    step = demo_sheet.COMPONENTS.get(color, 1) * bits // 8
    data, above = b"", bytes(width * step)
    for y in range(len(pixels) // (width * step)):
        row = pixels[y * width * step:(y + 1) * width * step]
        kind = filters[y % len(filters)]
        data += bytes([kind])
        for i, (value, up) in enumerate(zip(row, above)):
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            predicted = (0, left, up, (left + up) // 2,
                         min((left, up, corner), key=lambda x: abs(left + up - corner - x)))[kind]
            data += bytes([(value - predicted) % 256])
        above = row

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    packed = zlib.compress(data)
    header = struct.pack(">IIBBBBB", width, len(pixels) // (width * step), bits, color, 0, 0, interlaced)
    return (demo_sheet.SIGNATURE + chunk(b"IHDR", header) + chunk(b"tEXt", b"a\0b") + chunk(b"IDAT", packed[:9]) +
            chunk(b"IDAT", packed[9:]) + chunk(b"IEND", b""))


class DemoSheet(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, *args, **more):
        path = self.folder / name
        path.write_bytes(png(*args, **more))
        return path

    def test_every_filter_of_every_kind_is_undone(self):
        random.seed(36)
        for bits in (8, 16):
            for color, components in demo_sheet.COMPONENTS.items():
                step = components * bits // 8
                pixels = random.randbytes(13 * 11 * step)
                file = self.file("random.png", 13, bits, color, pixels, filters=(0, 1, 2, 3, 4))
                for y, row in enumerate(demo_sheet.rows_of(file)):
                    mine = pixels[y * 13 * step:(y + 1) * 13 * step]
                    channels = [mine[c * bits // 8::step] for c in range(components)]
                    self.assertEqual(row, channels[:3] if components >= 3 else channels[:1] * 3, (bits, color, y))

    def test_a_small_pixel_is_the_mean_of_a_square(self):
        file = self.file("square.png", 4, 8, 0, bytes([0, 10, 100, 100, 20, 30, 100, 100, 7, 7, 9, 9]))
        self.assertEqual(list(demo_sheet.small(file, 2)), [bytes([15] * 3 + [100] * 3), bytes([7] * 3 + [9] * 3)])

    def test_the_sheet_shows_images_from_the_first_to_the_last(self):
        files = [self.file(f"frame-{i:06}.png", 2, 8, 2, bytes([i] * 3 * 4)) for i in range(100)]
        shown = demo_sheet.chosen(files)
        self.assertEqual(len(shown), demo_sheet.MOST)
        self.assertEqual((shown[0], shown[-1]), (files[0], files[-1]))
        self.assertEqual(demo_sheet.make(reversed(files), self.folder / "sheet.png"), demo_sheet.MOST)
        gap, line = demo_sheet.GAP, demo_sheet.COLUMNS * (2 + demo_sheet.GAP) + demo_sheet.GAP
        self.assertEqual(demo_sheet.size_of(self.folder / "sheet.png"), (line, 3 * (2 + gap) + gap, 8, 3))
        rows = list(demo_sheet.rows_of(self.folder / "sheet.png"))
        self.assertEqual([rows[gap + 1][0][gap + i * (2 + gap)] for i in range(4)], [0, 9, 18, 27])
        self.assertEqual(rows[0][0][0], demo_sheet.BACKGROUND)

    def test_one_image_and_images_of_several_sizes(self):
        one = self.file("one.png", 1, 8, 6, bytes([1, 2, 3, 4]))
        wide = self.file("wide.png", 1000, 8, 0, bytes(1000))
        for files in ([one], [one, wide]):
            self.assertEqual(demo_sheet.make(files, self.folder / "sheet.png"), len(files))

    def test_other_files_are_refused_by_name(self):
        for file in (self.file("palette.png", 1, 8, 3, b"\0"), self.file("interlaced.png", 1, 8, 0, b"\0", interlaced=1)):
            with self.assertRaisesRegex(demo_sheet.NotRead, file.name):
                demo_sheet.make([file], self.folder / "sheet.png")
        (self.folder / "no.png").write_bytes(b"no PNG")
        with self.assertRaisesRegex(demo_sheet.NotRead, "no.png: no PNG"):
            demo_sheet.size_of(self.folder / "no.png")


if __name__ == "__main__":
    unittest.main()
