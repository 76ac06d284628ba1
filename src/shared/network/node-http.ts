/**
 * The parts of node:http that vplane uses. Importing it as an ES module reads all its exports, and its WebSocket loads
 * undici, which takes 30 ms and more (Node.js 24.21). Types may be imported.
 */
export const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http')
