#version 460
// The first word of each buffer that is bound.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer A { uint word; } a[3];
layout(set = 0, binding = 1) buffer B { uint word; } b;
layout(set = 0, binding = 3) buffer C { uint word; } c[4];
layout(set = 0, binding = 4) buffer Out { uint words[]; };
void main() {
  for (int i = 0; i < 3; ++i) words[i] = a[i].word;
  words[3] = b.word;
  for (int i = 0; i < 4; ++i) words[4 + i] = c[i].word;
}
