#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput depth;
layout(location = 0) out vec4 result;

void main() { result = vec4(subpassLoad(depth).r, gl_FragCoord.z, 2, 1); }
