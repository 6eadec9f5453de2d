#version 460
// Declares only what it uses of its set.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { uint from[]; };
layout(set = 0, binding = 3) buffer Out { uint to[]; };
layout(push_constant) uniform Push { uint at; };
void main() { to[at] = from[at] + 1; }
