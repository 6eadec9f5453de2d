#version 450
layout(constant_id = 0) const bool turned = false;
layout(location = 0) flat in vec4 tint;
layout(location = 0) out vec4 result;

void main() { result = turned ? tint.gbra : tint; }
