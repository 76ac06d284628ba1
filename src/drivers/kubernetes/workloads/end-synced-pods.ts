import type { Operation } from '../../../control-plane/driver/operation.ts'
import { numberAt } from '../../../shared/json-fields.ts'
import { NAME_ANNOTATION } from '../../../manifests/object-names.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, syncedSelector } from '../context/object-names.ts'
import { waitUntilGone } from './wait-until-gone.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The default grace period of the host, in seconds. */
const DEFAULT_GRACE_SECONDS = 30

export interface EndOptions {
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
export async function endSyncedPods(
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
  await Promise.all(pods.map((pod) => end(api, pod, signal)))
  await waitUntilGone(api, {
    namespace,
    labelSelector,
    isMeant: isMarked,
    what: `the end of the pods of "${name}"`,
    timeoutMs: timeoutMs + Math.max(...pods.map(graceSecondsOf)) * 1000,
    signal,
  })
}

/** Excludes pods that someone else created with the same label. */
function isMarked({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[NAME_ANNOTATION] !== undefined
}

async function end(
  api: Pick<HostApi, 'delete'>,
  { metadata }: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  await api.delete(objectPath('pods', { name, namespace }), { signal, uid })
}

function graceSecondsOf(pod: KubeObject): number {
  return numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? DEFAULT_GRACE_SECONDS
}
