export { startProxy } from '../tunnel/proxy/start-proxy.ts'
