#version 450
in float gl_ClipDistance[5];
in float gl_CullDistance[3];
layout(location = 0) out vec4 result;

void main() { result = vec4(gl_ClipDistance[0], gl_ClipDistance[4] * 0.25, gl_CullDistance[2], 1); }
