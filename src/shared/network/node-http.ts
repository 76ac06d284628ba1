/**
 * What is needed of node:http, which is not imported: an import as an ES module reads all that it exports, and its
 * WebSocket brings undici along, which takes 30 ms and more to load (Node.js 24.21). Types may be imported.
 */
export const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http')
