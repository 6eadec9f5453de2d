#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 4) in;
layout(binding = 0) buffer Output { uint words[]; } result;
layout(binding = 1) buffer Input { uint words[]; } many[];

void main() {
  const uint i = gl_LocalInvocationID.x;
  result.words[i] = many[nonuniformEXT(i * 2)].words[0];
}
