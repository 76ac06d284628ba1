import type { KubeClient } from '../../../src/kube/client/client.ts'
import type { MemoryHostApi } from './memory-host-api.ts'

/** A client of an API in memory. */
export function memoryClient(api: MemoryHostApi): KubeClient {
  return {
    get: (path, options) => api.get(path, options),
    list: (path, options) => api.list(path, options),
    create: (path, object, options) => api.create(path, object, options),
    apply: (path, object, options) => api.apply(path, object, options),
    patch: (path, body, options) => api.patch(path, body, options),
    replace: (path, object, options) => api.replace(path, object, options),
    delete: (path, options) => api.delete(path, options),
    watch: (path, options) => api.watch(path, options),
    stream: (path, options) => api.stream(path, options),
    text: () => Promise.resolve({ status: 200, body: 'ok' }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
