#version 450
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;

void main() { result = vec4(color.rgb * 0.5 + (gl_PrimitiveID % 8) / 16.0, gl_Layer / 4.0 + 0.25); }
