#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform Inline { uvec4 first; uvec4 second; };
layout(binding = 1) buffer Output { uint words[]; };
layout(push_constant) uniform Push { uint at; };

void main() { words[at] = first.x + 10 * first.w + 100 * second.y; }
