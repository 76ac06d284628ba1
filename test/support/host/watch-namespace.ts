import type { WatchEvent } from '../../../src/shared/kube/kube-object.ts'
import { openHostCluster } from '../../../src/kube/host/open-host-cluster.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import type { Lab } from '../../lab/lab.ts'

/** What comes and goes in a host namespace. */
export interface WatchedNamespace extends AsyncDisposable {
  /**
   * When something happened to objects, in revisions of the host's etcd, which count for all kinds alike.
   *
   * @param what `Pod`, or `Service vplane-dev-api`
   */
  at(what: string, type: WatchEvent['type']): number[]
}

/** Watches Services and pods of a host namespace from now on, in which there are none yet. */
export async function watchNamespace(
  { kubeconfigPath }: Pick<Lab, 'kubeconfigPath'>,
  namespace: string,
): Promise<WatchedNamespace> {
  const files = [kubeconfigPath]
  const host = await openHostCluster({ files, environment: processEnvironment() })
  const ending = new AbortController()
  const events: WatchEvent[] = []
  const watches = ['Service', 'Pod'].map(async (kind) => {
    const path = `/api/v1/namespaces/${namespace}/${kind.toLowerCase()}s`
    for await (const { object, type } of host.api.watch(path, { signal: ending.signal })) {
      events.push({ type, object: { ...object, kind } })
    }
  })
  return {
    at: (what, type) =>
      events
        .filter((event) => event.type === type)
        .filter(({ object: { kind, metadata } }) =>
          [kind, `${kind} ${metadata.name}`].includes(what),
        )
        .map(({ object }) => Number(object.metadata.resourceVersion)),
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await Promise.allSettled(watches)
      await host[Symbol.asyncDispose]()
    },
  }
}
