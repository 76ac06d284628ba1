import type { PlaneFault } from '../../../control-plane/driver/repair.ts'
import { sharedEtcdOf } from '../../../control-plane/store/store.ts'
import { hasKeys } from '../../../etcd/shared/has-keys.ts'
import type { Hint } from '../../../shared/hint.ts'
import { isVplaneError } from '../../../shared/errors.ts'
import type { Host } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { isReadyPod, type ObservedPlane } from '../observed/observed-plane.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { openStore } from '../shared-etcd/open-store.ts'

/** How long the pod through which it asks may take to start and to connect, in milliseconds. */
const TIMEOUT_MS = 60_000

interface SharedEtcdFacts {
  host: Host
  place: PlacedName
  record: PlaneRecord
  observed: ObservedPlane
}

/** The fault of a shared etcd if kube-apiserver does not work: another pod of kube-apiserver would not reach it either. */
export async function sharedEtcdFaults(
  { host, observed, place, record }: SharedEtcdFacts,
  signal: AbortSignal,
): Promise<PlaneFault[]> {
  const pods = observed.pods('kube-apiserver')
  if (sharedEtcdOf(record.spec) === undefined || pods.length === 0 || pods.some(isReadyPod)) {
    return []
  }
  const fault = (reason: string, hints: readonly Hint[]): PlaneFault[] => [
    { component: 'etcd', instance: 'shared etcd', reason, remedy: 'none', hints },
  ]
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const { id, spec } = record
    await using store = await openStore(host, { id, place, spec, signal: limit })
    const { prefix = '' } = store.spec.etcd
    const isThere = await hasKeys(store.connection, { prefix, signal: limit })
    return isThere || !record.hasData
      ? []
      : fault(`it has no keys below ${prefix}`, ['restore the etcd from a backup'])
  } catch (error) {
    signal.throwIfAborted()
    // Anything else, such as a missing right to create the pod, is no fault of the etcd.
    if (isVplaneError(error, 'FAILED', 'UNREACHABLE')) {
      return fault(error.message, error.hints)
    }
    return []
  }
}
