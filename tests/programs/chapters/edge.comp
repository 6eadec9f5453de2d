#version 460
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { uint from[]; };
layout(set = 0, binding = 1) buffer Out { uint words[]; };
layout(push_constant) uniform Push { uint at, to, c, d; };
void main() {
  words[to] = from[at];
  words[to + 1] = from.length();
}
