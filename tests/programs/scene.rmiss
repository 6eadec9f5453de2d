#version 460
#extension GL_EXT_ray_tracing : require
layout(shaderRecordEXT, std430) buffer Record { uint added; };
layout(location = 0) rayPayloadInEXT uint found;

void main() { found = 1 + added; }
