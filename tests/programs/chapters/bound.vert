#version 450
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 tint;
layout(location = 2) in float shift;
layout(location = 0) out vec4 color;

void main() {
  gl_Position = vec4(corner + vec2(0, shift * gl_InstanceIndex), 0.5, 1);
  color = vec4(tint.rgb + 0.125, 1);
}
