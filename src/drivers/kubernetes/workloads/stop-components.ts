import type { Operation } from '../../../control-plane/driver/operation.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import type { Journal } from '../record/journal.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { endSyncedPods } from './end-synced-pods.ts'
import { waitUntilGone } from './wait-until-gone.ts'
import { scaledTo, workloadPath } from '../observed/workloads.ts'

/** How long one component may take to end, in milliseconds: kube-apiserver finishes the requests it has. */
const TIMEOUT_MS = 120_000

export interface StopOptions {
  place: PlacedName
  components: readonly AnyComponentName[]
  operation: Operation
  /** Return when their pods are gone. @default true */
  wait?: boolean
  /** Leave what the plane runs as it is: a syncer that starts again goes on with that. @default false */
  keepPods?: boolean
}

/**
 * Takes the pods of components away, those of the last to start first; with those of its syncer, all that the plane runs.
 * Whoever calls holds the plane.
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
