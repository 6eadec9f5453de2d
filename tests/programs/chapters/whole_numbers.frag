#version 450
layout(location = 0) out uvec4 one;
layout(location = 1) out ivec2 other;

void main() {
  one = uvec4(0x33, 0x55, gl_FragCoord.xy * 17);
  other = ivec2(-gl_FragCoord.x * 1000, 0x12345678);
}
