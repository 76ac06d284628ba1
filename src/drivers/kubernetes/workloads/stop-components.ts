import type { Operation } from '../../../control-plane/driver/operation.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import type { Journal } from '../record/journal.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { endSyncedPods } from './end-synced-pods.ts'
import { waitUntilGone } from './wait-until-gone.ts'
import { scaledTo, workloadPath } from '../observed/workloads.ts'

/** How long one component may take to end, in milliseconds: kube-apiserver finishes its requests. */
const TIMEOUT_MS = 120_000

export interface StopOptions {
  place: PlacedName
  components: readonly AnyComponentName[]
  operation: Operation
  /** Wait until their pods have ended. @default true */
  wait?: boolean
  /** A syncer that starts again continues with the pods that the plane runs. @default false */
  keepPods?: boolean
}

/**
 * Stops components, in the reverse order of their start; with the syncer, also all pods that the plane runs. The caller
 * holds the plane.
 *
 * @throws {VplaneError} `TIMED_OUT` when a pod does not end.
 */
export async function stopComponents(
  api: HostApi,
  journal: Pick<Journal, 'step'>,
  { components, keepPods = false, operation, place, wait = true }: StopOptions,
): Promise<void> {
  const { signal, timeoutMs = TIMEOUT_MS, ui } = operation
  const { name, namespace } = place
  for (const component of ALL_COMPONENT_NAMES.toReversed()) {
    if (!components.includes(component)) {
      continue
    }
    ui.step(`Stopping ${component}`)
    await journal.step(`stopping ${component}`)
    const path = workloadPath(place, component)
    await unlessMissing(api.patch(path, scaledTo(0), { type: 'merge', signal }))
    if (!wait) {
      continue
    }
    await waitUntilGone(api, {
      namespace,
      labelSelector: componentSelector(name, component),
      what: `the end of ${component} of "${name}"`,
      timeoutMs,
      signal,
    })
    if (component === 'syncer' && !keepPods) {
      await endSyncedPods(api, { place, operation, timeoutMs })
    }
  }
}

async function unlessMissing(patching: Promise<unknown>): Promise<void> {
  try {
    await patching
  } catch (error) {
    if (!(error instanceof VplaneError) || error.code !== 'NOT_FOUND') {
      throw error
    }
  }
}
