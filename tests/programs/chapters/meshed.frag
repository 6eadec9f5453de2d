#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 0) in vec4 color;
layout(location = 1) perprimitiveEXT in vec4 shade;
layout(location = 0) out vec4 result;

void main() { result = color * 0.75 + shade + vec4(gl_PrimitiveID / 64.0); }
