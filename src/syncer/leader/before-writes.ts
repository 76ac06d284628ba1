import type { KubeClient } from '../../kube/client/client.ts'

/** A client that does something before every attempt to change something; when that fails, nothing is asked. */
export function beforeWrites(client: KubeClient, before: () => void | Promise<void>): KubeClient {
  const after = async <Result>(request: () => Promise<Result>): Promise<Result> => {
    await before()
    return request()
  }
  return {
    ...client,
    create: (...args) => after(() => client.create(...args)),
    apply: (...args) => after(() => client.apply(...args)),
    patch: (...args) => after(() => client.patch(...args)),
    replace: (...args) => after(() => client.replace(...args)),
    delete: (...args) => after(() => client.delete(...args)),
  }
}
