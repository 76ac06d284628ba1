import { componentsOf } from '../../../control-plane/plane/plane.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import type { Journal } from '../record/journal.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { markClaims } from './mark-claims.ts'

/** How long the other components have to end: what they write is replaced. */
const GRACE_SECONDS = 5

interface StopOptions {
  place: PlacedName
  /** What stores the data, and stops last. */
  store: 'etcd' | 'kine'
  /** The name of the former data. */
  former: string
  operation: Operation
}

/** Stops a plane whose data is about to be replaced, and marks the volume claims of its pods. The pods that it runs continue. */
export async function stopForRestore(
  api: HostApi,
  journal: Journal,
  { former, operation, place, store }: StopOptions,
): Promise<void> {
  const components = componentsOf(journal.record.spec).filter((component) => component !== store)
  const stop = { place, operation, keepPods: true } as const
  await stopComponents(api, journal, { ...stop, components, graceSeconds: GRACE_SECONDS })
  await stopComponents(api, journal, { ...stop, components: [store] })
  await markClaims(api, { place, at: former, signal: operation.signal })
}
