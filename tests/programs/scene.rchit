#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(buffer_reference, std430) buffer Value { uint value; };
layout(shaderRecordEXT, std430) buffer Record { uvec2 pointer; };
layout(location = 0) rayPayloadInEXT uint found;

// What the shader record points to, which the host stored there.
void main() { found = Value(pointer).value + gl_InstanceCustomIndexEXT; }
