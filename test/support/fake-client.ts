import type { ClientCredential, Endpoint, Identity } from '../../src/control-plane/plane.ts'
import type { PlaneApi } from '../../src/control-plane/plane-api.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import type { FakePlaneApi } from './fake-plane-api.ts'

const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

/** A client of a plane in memory, which knows who it is by its credential. */
export function fakeClient(
  api: FakePlaneApi | undefined,
  { certificate, server }: Endpoint & ClientCredential,
): PlaneApi {
  if (api === undefined) {
    return unreachable(server)
  }
  const { groups, user }: Identity = JSON.parse(certificate)
  return {
    get: (path) => api.get(path),
    create: async (path, object, options) => {
      if (path !== SELF) {
        return api.create(path, object, options)
      }
      await api.text('/readyz')
      const userInfo = { username: user, groups: [...groups, 'system:authenticated'] }
      return { ...object, status: { userInfo } }
    },
    apply: (path, object, options) => api.apply(path, object, options),
    delete: (path) => api.delete(path),
    watch: (path, options) => api.watch(path, options),
    text: (path) => api.text(path),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

function unreachable(server: string): PlaneApi {
  const refuse = () =>
    Promise.reject(new VplaneError('UNREACHABLE', `cannot reach ${server}: nothing listens there`))
  return {
    get: refuse,
    create: refuse,
    apply: refuse,
    delete: refuse,
    text: refuse,
    watch: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
