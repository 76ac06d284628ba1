import type { PlaneFault } from '../../../control-plane/driver/repair.ts'
import { rangeOverGrpc } from '../../../etcd/data/range-over-grpc.ts'
import type { Host } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { ComponentProblem } from '../context/problem.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'
import { isYoung } from '../observed/is-young.ts'
import { isReadyPod, type ObservedPlane } from '../observed/observed-plane.ts'

const READ_TIMEOUT_MS = 5000

/** What sqlite reports when its file is missing and it may not create one. */
const NO_FILE = /unable to open database file/

export interface KineFacts {
  host: Pick<Host, 'api' | 'forward'>
  place: PlacedName
  observed: ObservedPlane
  problems: readonly ComponentProblem[]
  now: Date
}

/** The faults of kine that its pod does not show: its volume is empty, of which vplane has no copy, or it does not answer. */
export async function kineFaults(
  { host, now, observed, place, problems }: KineFacts,
  signal: AbortSignal,
): Promise<PlaneFault[]> {
  const lost = problems.find(
    ({ component, reason }) => component === 'kine' && NO_FILE.test(reason),
  )
  if (lost !== undefined) {
    return [
      {
        component: 'kine',
        instance: 'kine',
        reason: 'its data is lost: its volume has no file of sqlite',
        remedy: 'none',
        hints: [
          'restore its volume from a backup',
          { purpose: 'or delete the plane', action: 'delete', plane: place },
        ],
      },
    ]
  }
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
