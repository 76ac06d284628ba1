import type { Operation } from '../../../control-plane/driver/operation.ts'
import { numberAt } from '../../../shared/json-fields.ts'
import { NAME_ANNOTATION } from '../../../manifests/object-names.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, syncedSelector } from '../context/object-names.ts'
import { waitUntilGone } from './wait-until-gone.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** What a pod gets that does not say how long it may take to end, in seconds: the host's own default. */
const DEFAULT_GRACE_SECONDS = 30

export interface EndOptions {
  place: PlacedName
  operation: Pick<Operation, 'signal' | 'ui'>
  /** How long ending may take beyond the time that the pods ask for, in milliseconds. */
  timeoutMs: number
}

/**
 * Ends the pods that a plane runs on the host, all at once, and gives each the time that it asks for. Its syncer must run
 * no more: to that, a host pod that goes is a pod that is lost.
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

/** A pod that somebody only labelled like one is not ours. */
function isMarked({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[NAME_ANNOTATION] !== undefined
}

async function end(
  api: Pick<HostApi, 'delete'>,
  { metadata }: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  await api.delete(objectPath('pods', { name, namespace }), {
    signal,
    ...(uid === undefined ? {} : { uid }),
  })
}

function graceSecondsOf(pod: KubeObject): number {
  return numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? DEFAULT_GRACE_SECONDS
}
