#version 450
#extension GL_EXT_multiview : require
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput input_;
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;

void main() { result = subpassLoad(input_) * 0.5 + color * 0.25 + vec4(gl_ViewIndex / 8.0, 0, 0, 0); }
