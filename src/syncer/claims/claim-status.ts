import { type Json, recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import { picked } from '../translate/reading.ts'
import { namesOf, toVirtualWords } from '../translate/virtual-words.ts'
import { volumeNameOf } from '../translate/kinds/volume.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

const SHOWN = [
  'accessModes',
  'allocatedResources',
  'allocatedResourceStatuses',
  'capacity',
  'conditions',
  'phase',
]

/**
 * The status of a virtual claim: that of its host claim, in the words of the plane. One whose host claim is gone, though
 * it was bound, is `Lost`; one that the host does not have yet says what it said.
 */
export function toVirtualClaimStatus(virtual: KubeObject, host: KubeObject | undefined): Json {
  const own = recordAt(virtual, 'status') ?? {}
  if (host === undefined) {
    return isBound(virtual) ? { ...own, phase: 'Lost' } : own
  }
  const status = picked(recordAt(host, 'status') ?? {}, SHOWN)
  const conditions = recordsAt(status, 'conditions').map((one) => inWords(one, { virtual, host }))
  return { phase: 'Pending', ...status, ...picked({ conditions }, ['conditions']) }
}

/** Tells whether a claim has got the volume that stands for what the host gave it. */
export function isBound(virtual: KubeObject): boolean {
  return textAt(virtual, 'spec', 'volumeName') === volumeNameOf(virtual)
}

/** Tells whether the host has given a volume to a host claim. */
export function isBoundByHost(host: KubeObject): boolean {
  return recordAt(host, 'status')?.['phase'] === 'Bound'
}

function inWords(
  condition: Json,
  { host, virtual }: { virtual: KubeObject; host: KubeObject },
): Json {
  const message = textAt(condition, 'message')
  const names = { host: namesOf(host), virtual: namesOf(virtual) }
  return message === undefined
    ? condition
    : { ...condition, message: toVirtualWords(message, names) }
}
