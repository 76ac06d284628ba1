import { isDeepStrictEqual } from 'node:util'
import { fieldAt, recordsAt, textAt } from '../../../../src/shared/json-fields.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { UID_ANNOTATION } from '../../../../src/syncer/translate/markers.ts'
import type { SyncedPlane } from '../planes/synced-plane.ts'
import type { FieldPod } from './field-pods.ts'

/** What came of the pod of a field. */
export interface FieldOutcome {
  path: string
  /** The pod of the plane. */
  virtual: KubeObject
  /** Whether it is on the host, where its status is final, and says the same in the plane. */
  runs: boolean
  /** Whether an Event of the syncer names the field, or a record that it is in. */
  isNamed: boolean
}

/** What came of pods by now. */
export async function fieldOutcomes(
  plane: SyncedPlane,
  pods: readonly FieldPod[],
): Promise<FieldOutcome[]> {
  const [found, onHost] = await Promise.all([
    plane.ok('get', 'pods,events', '--output', 'json'),
    plane.onHost('get', 'pods', '--output', 'json'),
  ])
  const objects: { items: KubeObject[] } = JSON.parse(found)
  const hostObjects: { items: KubeObject[] } = JSON.parse(onHost)
  const hosts = new Map(
    hostObjects.items.map((one) => [one.metadata.annotations?.[UID_ANNOTATION], one]),
  )
  return pods.flatMap(({ field: [path], pod }) => {
    const { name } = pod.metadata
    const isIt = (one: KubeObject) => one.kind === 'Pod' && one.metadata.name === name
    const virtual = objects.items.find(isIt)
    if (virtual === undefined) {
      return []
    }
    const messages = objects.items
      .filter((one) => textAt(one, 'involvedObject', 'uid') === virtual.metadata.uid)
      .filter((one) => textAt(one, 'source', 'component') === 'vplane-syncer')
      .map((one) => textAt(one, 'message') ?? '')
    const host = hosts.get(virtual.metadata.uid)
    return [
      {
        path,
        virtual,
        runs: host !== undefined && isFinal(host) && saysTheSame(virtual, host),
        isNamed: messages.some((message) => isNamedIn(message, path)),
      },
    ]
  })
}

/** Whether its node changes its status no more: it is ready, no node is for it, or its probes begin later. */
function isFinal(host: KubeObject): boolean {
  const isOver = recordsAt(host, 'status', 'conditions').some(
    ({ reason, status, type }) =>
      reason === 'Unschedulable' || (type === 'Ready' && status === 'True'),
  )
  return isOver || (JSON.stringify(host['spec']).includes('"initialDelaySeconds"') && runs(host))
}

/** Whether all containers run that may before a startup probe. */
function runs(host: KubeObject): boolean {
  const initial = recordsAt(host, 'spec', 'initContainers')
  const isBlocked = initial.some((container) => 'startupProbe' in container)
  const lists = ['initContainerStatuses', ...(isBlocked ? [] : ['containerStatuses'])]
  const statuses = lists.flatMap((list) => recordsAt(host, 'status', list))
  return statuses.every((one) => fieldAt(one, 'state', 'running') !== undefined)
}

function saysTheSame(virtual: KubeObject, host: KubeObject): boolean {
  const [inPlane, onHost] = [virtual, host].map((one) => ({
    fields: ['phase', 'podIP', 'qosClass', 'containerStatuses', 'initContainerStatuses'].map(
      (field) => fieldAt(one, 'status', field),
    ),
    conditions: recordsAt(one, 'status', 'conditions').map(({ status, type }) => [type, status]),
  }))
  // A refused one is shown in the plane alone.
  const [wanted, shown] = [
    recordsAt(virtual, 'spec', 'ephemeralContainers'),
    recordsAt(virtual, 'status', 'ephemeralContainerStatuses'),
  ]
  return isDeepStrictEqual(inPlane, onHost) && wanted.length === shown.length
}

/** Events have `spec.containers[main].tty` or `spec.containers[0].tty` for `spec.containers[].tty`. */
function isNamedIn(message: string, path: string): boolean {
  const parts = path.replace(/(\[\]|\{\})$/, '').split('.')
  return parts.some((_, index) => {
    const pattern = parts
      .slice(0, index + 1)
      .join(String.raw`\.`)
      .replace(/\[\]$/, String.raw`(\[[^\]]+\])?`)
      .replaceAll('[]', String.raw`\[[^\]]+\]`)
    // A record before it is on the way to something else.
    return index > 0 && new RegExp(String.raw`\b${pattern}(?![\w.[])`).test(message)
  })
}
