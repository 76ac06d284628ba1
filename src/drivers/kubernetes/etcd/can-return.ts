import { canRead, clusterVersion } from '../../../etcd/status/cluster-version.ts'
import { recordsAt } from '../../../shared/json-fields.ts'
import { componentPods } from '../observed/ready-pod.ts'
import type { Host } from '../context/context.ts'
import { readKeys } from '../objects/plane-keys.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PlacedName } from '../context/object-names.ts'
import { etcdInPod } from './hosted-etcd.ts'

/**
 * Whether etcd of a version can read the data of a plane in a host namespace: its members report it, or none of its
 * pods ever started, so that nothing was written. An etcd that cannot read its data exits with that error.
 */
export async function canReturn(
  { api, forward }: Pick<Host, 'api' | 'forward'>,
  place: PlacedName,
  { signal, version }: { version: string; signal: AbortSignal },
): Promise<boolean> {
  const { namespace } = place
  const [pods, files] = await Promise.all([
    componentPods(api, { ...place, component: 'etcd' }, signal),
    readKeys(api, place, signal),
  ])
  const started = pods.filter(hasStarted)
  const versions = await Promise.all(
    started.map(async ({ metadata }) => {
      const pod = metadata.name ?? ''
      const member = etcdInPod({ forward }, { what: `etcd in "${pod}"`, namespace, pod, files })
      return clusterVersion(member, signal)
    }),
  )
  const known = versions.filter((one) => one !== undefined)
  return known.length > 0 ? known.every((one) => canRead(version, one)) : started.length === 0
}

function hasStarted(pod: KubeObject): boolean {
  return recordsAt(pod, 'status', 'containerStatuses').some(
    (one) => Boolean(one['containerID']) || Number(one['restartCount'] ?? 0) > 0,
  )
}
