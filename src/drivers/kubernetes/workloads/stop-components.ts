import type { Operation } from '../../../control-plane/driver/operation.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../../../control-plane/plane/plane.ts'
import type { HostApi } from '../host/host-api.ts'
import type { Journal } from '../record/journal.ts'
import { componentSelector, type PlacedName, syncedSelector } from '../context/object-names.ts'
import { numberAt } from '../../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
import { isMarked } from '../synced/synced-objects.ts'
import { retireOwnKeeper } from './retire-own-keeper.ts'
import { setKept } from './set-kept.ts'
import { waitUntilGone } from './wait-until-gone.ts'
import { scaledTo, workloadPath } from '../observed/workloads.ts'

/** How long one component may take to end, in milliseconds: kube-apiserver finishes its requests. */
const TIMEOUT_MS = 120_000

/** The default grace period of the host, in seconds. */
const DEFAULT_GRACE_SECONDS = 30

/** The longest grace period of a pod that the plane runs, in seconds: its users set it, and the plane's owner waits. */
const LONGEST_GRACE_SECONDS = 600

export interface StopOptions {
  place: PlacedName
  components: readonly AnyComponentName[]
  operation: Operation
  /** Wait until their pods have ended. @default true */
  wait?: boolean
  /** A syncer that starts again continues with the pods that the plane runs. @default false */
  keepPods?: boolean
  /**
   * How long a component has to end, in seconds: kube-apiserver hangs until its grace period expires when etcd has no
   * majority. @default the grace period of its pods
   */
  graceSeconds?: number
  /** Called before kube-apiserver is stopped. @default nothing */
  beforeApiEnds?: (() => Promise<void>) | undefined
}

/**
 * Stops components, in the reverse order of their start; with the syncer, also all pods that the plane runs, and of the
 * keeper, what it does for this plane. The caller holds the plane.
 *
 * @throws {VplaneError} `TIMED_OUT` when a pod does not end.
 */
export async function stopComponents(
  api: HostApi,
  journal: Pick<Journal, 'step'>,
  {
    beforeApiEnds,
    components,
    graceSeconds,
    keepPods = false,
    operation,
    place,
    wait = true,
  }: StopOptions,
): Promise<void> {
  const { signal, timeoutMs = TIMEOUT_MS, ui } = operation
  const { name, namespace } = place
  for (const component of ALL_COMPONENT_NAMES.toReversed()) {
    if (!components.includes(component)) {
      continue
    }
    ui.step(`Stopping ${component}`)
    await journal.step(`stopping ${component}`)
    if (component === 'keeper') {
      await letGo(api, place, signal)
      continue
    }
    if (component === 'kube-apiserver') {
      await beforeApiEnds?.()
    }
    const path = workloadPath(place, component)
    await unlessStatus([404], api.patch(path, scaledTo(0), { type: 'merge', signal }))
    if (!wait) {
      continue
    }
    const labelSelector = componentSelector(name, component)
    if (graceSeconds !== undefined) {
      const { items } = await api.list(collectionPath('pods', namespace), { labelSelector, signal })
      await Promise.all(items.map((pod) => end(api, pod, { graceSeconds, signal })))
    }
    await waitUntilGone(api, {
      namespace,
      labelSelector,
      what: `the end of ${component} of "${name}"`,
      timeoutMs,
      signal,
    })
    if (component === 'syncer' && !keepPods) {
      await endSyncedPods(api, { place, operation, timeoutMs })
    }
  }
}

/** The keeper of the namespace ends the duties of the plane, and continues for others. */
async function letGo(
  api: Pick<HostApi, 'delete' | 'get' | 'list' | 'patch' | 'watch'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<void> {
  await retireOwnKeeper(api, place, signal)
  await setKept(api, place, { kept: 'false', signal })
}

interface EndOptions {
  place: PlacedName
  operation: Pick<Operation, 'signal' | 'ui'>
  /** Beyond the grace period of the pods. */
  timeoutMs: number
}

/**
 * Requires that the plane's syncer has stopped: it would take a deleted host pod for a lost one.
 *
 * @throws {VplaneError} `TIMED_OUT` when a pod does not end.
 */
async function endSyncedPods(
  api: Pick<HostApi, 'delete' | 'list' | 'watch'>,
  { operation, place, timeoutMs }: EndOptions,
): Promise<void> {
  const { name, namespace } = place
  const { signal, ui } = operation
  const labelSelector = syncedSelector(name)
  const { items } = await api.list(collectionPath('pods', namespace), { labelSelector, signal })
  const pods = items.filter(isMarked)
  if (pods.length === 0) {
    return
  }
  ui.step('Stopping its pods')
  const graceSeconds = pods.map(graceSecondsOf)
  await Promise.all(
    pods.map((pod, index) => end(api, pod, { graceSeconds: graceSeconds[index], signal })),
  )
  await waitUntilGone(api, {
    namespace,
    labelSelector,
    isMeant: isMarked,
    what: `the end of the pods of "${name}"`,
    timeoutMs: timeoutMs + Math.max(...graceSeconds) * 1000,
    signal,
  })
}

async function end(
  api: Pick<HostApi, 'delete'>,
  { metadata }: KubeObject,
  options: { graceSeconds?: number | undefined; signal: AbortSignal },
): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  await api.delete(objectPath('pods', { name, namespace }), { ...options, uid })
}

function graceSecondsOf(pod: KubeObject): number {
  const seconds = numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? DEFAULT_GRACE_SECONDS
  return Math.min(seconds, LONGEST_GRACE_SECONDS)
}
