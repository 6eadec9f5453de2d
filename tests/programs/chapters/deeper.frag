#version 450
layout(depth_greater) out float gl_FragDepth;
layout(location = 0) out vec4 result;

void main() {
  gl_FragDepth = gl_FragCoord.z + (int(gl_FragCoord.x) & 3) / 16.0;
  result = vec4(gl_FragDepth, 1, 0, 1);
}
