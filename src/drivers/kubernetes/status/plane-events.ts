import type { PlaneEvent } from '../../../control-plane/status/plane-status.ts'
import { recordAt, textAt } from '../../../shared/json-fields.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

const HOUR_MS = 3_600_000

/** Returns the events of the last hour, the latest last. */
export async function planeEvents(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<PlaneEvent[]> {
  const events = await eventsAbout(api, place, signal)
  return events
    .flatMap(toPlaneEvent)
    .filter(({ at }) => now.getTime() - at.getTime() <= HOUR_MS)
    .toSorted((left, right) => left.at.getTime() - right.at.getTime())
}

/** Returns the events about the objects of a plane, and the ControlPlane that declares it, unchanged. */
export async function eventsAbout(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const { items } = await api.list(collectionPath('events', namespace), { signal })
  const isOwn = namesOf(name)
  return items.filter((event) => {
    const about = involved(event)
    return about.kind === 'ControlPlane' ? about.name === name : isOwn.test(about.name)
  })
}

/**
 * Events have no labels. Matches the names of the objects of a plane, of its ReplicaSets and pods, of the volumes of etcd or kine,
 * and of the keeper of the namespace, but no names of the plane `dev-etcd` for `dev`. Events of synced pods are shown in the plane.
 */
function namesOf(plane: string): RegExp {
  const hash = '(-[a-z0-9]{8,10}(-[a-z0-9]{5})?)?'
  return new RegExp(
    `^vplane-${plane}-(api|etcd-peers|etcd-access|kine-access|ca|dns|(kube-apiserver|kube-controller-manager|kube-scheduler|syncer)${hash}|keeper-settings)$` +
      `|^vplane-keeper${hash}$` +
      `|^([a-z0-9-]+-)?vplane-${plane}-(etcd|kine)(-\\d+)?$`,
  )
}

function toPlaneEvent(event: KubeObject): PlaneEvent[] {
  const { kind, name } = involved(event)
  const series = recordAt(event, 'series') ?? {}
  const times = [
    series['lastObservedTime'],
    event['lastTimestamp'],
    event['eventTime'],
    event['firstTimestamp'],
    event.metadata['creationTimestamp'],
  ]
  const time = times.find((one) => typeof one === 'string')
  const at = new Date(typeof time === 'string' ? time : Number.NaN)
  if (Number.isNaN(at.getTime())) {
    return []
  }
  return [
    {
      at,
      level: event['type'] === 'Warning' ? 'warning' : 'normal',
      object: `${kind}/${name}`,
      reason: textAt(event, 'reason') ?? '',
      message: (textAt(event, 'message') ?? '').trim(),
      count: Number(series['count'] ?? event['count'] ?? 1),
    },
  ]
}

function involved(event: KubeObject): { kind: string; name: string } {
  const [kind = '', name = ''] = ['kind', 'name'].map((field) =>
    textAt(event, 'involvedObject', field),
  )
  return { kind, name }
}
