#version 450
layout(vertices = 4) out;
layout(location = 0) out vec4 tint[];
layout(location = 1) patch out vec4 shift;
layout(push_constant) uniform Levels {
  vec4 outer;
  vec2 inner;
};

void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  tint[gl_InvocationID] = vec4(gl_InvocationID & 1, gl_InvocationID >> 1, gl_PrimitiveID & 1, 1);
  barrier();
  if (gl_InvocationID == 0) {
    gl_TessLevelOuter[0] = outer.x;
    gl_TessLevelOuter[1] = outer.y;
    gl_TessLevelOuter[2] = outer.z;
    gl_TessLevelOuter[3] = outer.w;
    gl_TessLevelInner[0] = inner.x;
    gl_TessLevelInner[1] = inner.y;
    shift = tint[3] * 0.25;
  }
}
