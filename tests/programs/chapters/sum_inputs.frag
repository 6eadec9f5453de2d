#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput one;
layout(input_attachment_index = 2, set = 0, binding = 1) uniform subpassInput other;
layout(location = 0) out vec4 result;

void main() { result = subpassLoad(one) * 0.5 + subpassLoad(other) * 0.25; }
