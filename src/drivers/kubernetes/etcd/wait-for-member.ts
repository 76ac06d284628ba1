import { collectionPath } from '../../../shared/kube/collections.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { EtcdConnection } from '../../../etcd/etcd-connection.ts'
import type { Host } from '../context/context.ts'
import type { HostApi } from '../host/host-api.ts'
import { hostedEtcd, type StorePlace } from './hosted-etcd.ts'
import { watchForWakeUps } from '../host/wake-ups.ts'
import { isReadyPod } from '../observed/observed-plane.ts'
import { componentPods } from '../observed/ready-pod.ts'

/** How long a member may take to be ready again after its process has ended: the kubelet waits up to 40 s at first. */
const READY_WITHIN_MS = 60_000

/** As `hostedEtcd`, once a pod is ready, unless one is named. @throws {VplaneError} as `waitForMember` too. */
export async function startedEtcd(
  host: Pick<Host, 'api' | 'forward'>,
  place: StorePlace,
  signal: AbortSignal,
): Promise<EtcdConnection> {
  // A survivor of a lost majority is never ready, and has the data.
  if (place.instance === undefined) {
    await waitForMember(host.api, place, signal)
  }
  return hostedEtcd(host, place, signal)
}

/**
 * Waits until a member of a plane's etcd, or its kine, is ready, if it has pods: one of them may just have started again.
 *
 * @throws {VplaneError} `TIMED_OUT`, `ABORTED`.
 */
export async function waitForMember(
  api: Pick<HostApi, 'list' | 'watch'>,
  { component = 'etcd', ...place }: StorePlace,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace } = place
  const isWaitOver = async (until: AbortSignal) => {
    const pods = await componentPods(api, { ...place, component }, until)
    return pods.length === 0 || pods.some(isReadyPod)
  }
  if (await isWaitOver(signal)) {
    return
  }
  await using changes = watchForWakeUps(api, collectionPath('pods', namespace), {})
  await waitFor(
    async (until) => {
      if (await isWaitOver(until)) {
        return true
      }
      await changes.next(until)
      return false
    },
    {
      what: `a ready ${component === 'etcd' ? 'member of etcd' : component} of "${name}"`,
      timeoutMs: READY_WITHIN_MS,
      intervalMs: 1,
      signal,
      hints: [{ action: 'describe', plane: { name, namespace } }],
    },
  )
}
