#version 450
layout(input_attachment_index = 0, binding = 0) uniform subpassInput before;
layout(location = 0) out vec4 result;

void main() { result = vec4(1 - subpassLoad(before).rgb, 1); }
