import type { Identity } from '../../../src/control-plane/plane/plane.ts'
import type { PlaneApi } from '../../../src/control-plane/api/plane-api.ts'
import type { ApiAccess } from '../../../src/control-plane/use-cases/access/access.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import type { FakePlaneApi } from './fake-plane-api.ts'

const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

/** Whom a client is that shows no credential. */
const ANYBODY = JSON.stringify({ user: 'system:anonymous', groups: [] } satisfies Identity)

/** A client of a plane in memory, which knows who it is by its credential. */
export function fakeClient(
  api: FakePlaneApi | undefined,
  { certificate = ANYBODY, server }: ApiAccess,
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
    patch: (path, body) => api.patch(path, body),
    delete: (path) => api.delete(path),
    watch: (path, options) => api.watch(path, options),
    text: (path) => api.text(path),
    stream: (path) => api.stream(path),
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
    patch: refuse,
    delete: refuse,
    text: refuse,
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }),
    watch: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
