#version 450
// The sum of what four bindings hold, each weighed by a power of ten, into
// output word `at`.
layout(local_size_x = 1) in;
layout(binding = 0) uniform A { uint a; };
layout(binding = 1) buffer B { uint b; } two[2];
layout(binding = 2) uniform usamplerBuffer c;
layout(binding = 3) buffer Output { uint words[]; };
layout(push_constant) uniform Push { uint at; };

void main() {
  words[at] = a + 10 * two[0].b + 100 * two[1].b + 1000 * texelFetch(c, 0).x;
}
