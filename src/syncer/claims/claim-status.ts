import { type Json, recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import { picked, provided } from '../translate/reading.ts'
import { namesOf, toVirtualWords } from '../translate/virtual-words.ts'
import { volumeNameOf } from '../translate/kinds/volume.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

const COPIED_FIELDS = [
  'accessModes',
  'allocatedResources',
  'allocatedResourceStatuses',
  'capacity',
  'conditions',
  'phase',
]

/** The status of a virtual claim: that of its host claim; without one, a bound claim is `Lost`, and others do not change. */
export function toVirtualClaimStatus(virtual: KubeObject, host: KubeObject | undefined): Json {
  const own = recordAt(virtual, 'status') ?? {}
  if (host === undefined) {
    return isBound(virtual) ? { ...own, phase: 'Lost' } : own
  }
  const status = picked(recordAt(host, 'status') ?? {}, COPIED_FIELDS)
  const names = { host: namesOf(host), virtual: namesOf(virtual) }
  const conditions = recordsAt(status, 'conditions').map((condition) => {
    const message = textAt(condition, 'message')
    return message === undefined
      ? condition
      : { ...condition, message: toVirtualWords(message, names) }
  })
  return { phase: 'Pending', ...status, ...provided({ conditions }) }
}

/** Whether a claim is bound to the volume that represents the host's. */
export function isBound(virtual: KubeObject): boolean {
  return textAt(virtual, 'spec', 'volumeName') === volumeNameOf(virtual)
}

export function isBoundByHost(host: KubeObject): boolean {
  return recordAt(host, 'status')?.['phase'] === 'Bound'
}
