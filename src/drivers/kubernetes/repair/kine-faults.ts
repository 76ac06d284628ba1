import type { PlaneFault } from '../../../control-plane/driver/repair.ts'
import { rangeOverGrpc } from '../../../etcd/data/range-over-grpc.ts'
import type { Host } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'
import { isYoung } from '../observed/is-young.ts'
import { isReadyPod, type ObservedPlane } from '../observed/observed-plane.ts'

const READ_TIMEOUT_MS = 5000

export interface KineFacts {
  host: Pick<Host, 'api' | 'forward'>
  place: PlacedName
  observed: ObservedPlane
  now: Date
}

/** The fault of kine that its pod does not show: it accepts connections, and does not answer. */
export async function kineFaults(
  { host, now, observed, place }: KineFacts,
  signal: AbortSignal,
): Promise<PlaneFault[]> {
  const pod = observed.pods('kine').find(isReadyPod)
  if (pod === undefined || isYoung(pod, now)) {
    return []
  }
  const instance = pod.metadata.name ?? 'kine'
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)])
  try {
    const connection = await hostedEtcd(host, { ...place, component: 'kine', instance }, limit)
    await rangeOverGrpc(connection, { from: Buffer.from('/'), limit: 1, signal: limit })
    return []
  } catch {
    // That kine does not answer is the fault to find.
    signal.throwIfAborted()
    return [{ component: 'kine', instance, reason: 'it does not answer', remedy: 'restart' }]
  }
}
