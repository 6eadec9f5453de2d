#version 450
layout(early_fragment_tests) in;
layout(set = 0, binding = 0) buffer Counts { uint counts[64]; };
layout(location = 0) out vec4 result;

void main() {
  atomicAdd(counts[int(gl_FragCoord.y) * 8 + int(gl_FragCoord.x)], 1);
  result = vec4(gl_FragCoord.z, 0, 1, 1);
}
