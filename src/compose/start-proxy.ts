export { type PlaneProxy, startProxy } from '../tunnel/proxy/start-proxy.ts'
