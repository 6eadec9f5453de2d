#version 450
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) in uint column;
layout(location = 1) in uint row;
layout(location = 0) flat out uint value;

// A point in column `column` of row `row`; its value tells draw, base and instance.
void main() {
  gl_Position = vec4((float(column) + 0.5) / 8 - 1, (float(row) + 0.5) / 8 - 1, 0, 1);
  gl_PointSize = 1;
  value = 1 + gl_DrawIDARB + 16 * gl_BaseVertexARB + 256 * gl_BaseInstanceARB + 4096 * gl_InstanceIndex;
}
