#version 460
#extension GL_EXT_nonuniform_qualifier : require
// The first words of three buffers of a long list.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; };
layout(set = 0, binding = 1) buffer List { uint word; } list[];
layout(push_constant) uniform Push { uint which[3]; uint at; };
void main() {
  for (uint i = 0; i < 3; ++i) words[at + i] = list[nonuniformEXT(which[i])].word;
}
