import type { HostApi } from '../host/host-api.ts'

export type PreflightApi = Pick<HostApi, 'create' | 'get' | 'list'>

/**
 * Limits concurrent requests, because each connection costs a TLS handshake (measured with 27 requests: 6 at a time
 * took 90 ms, all at once 150 ms).
 */
export function inTurns(api: PreflightApi, limit: number): PreflightApi {
  const waiting: Array<() => void> = []
  let free = limit
  const turn = async <T>(request: () => Promise<T>): Promise<T> => {
    if (free === 0) {
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      free -= 1
    }
    try {
      return await request()
    } finally {
      const next = waiting.shift()
      if (next === undefined) {
        free += 1
      } else {
        next()
      }
    }
  }
  return {
    create: (path, object, options) => turn(() => api.create(path, object, options)),
    get: (path, options) => turn(() => api.get(path, options)),
    list: (path, options) => turn(() => api.list(path, options)),
  }
}
