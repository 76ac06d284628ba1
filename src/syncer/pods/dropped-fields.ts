import { isRecord } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { Reporter } from '../events/reporter.ts'
import { isProvided } from '../translate/reading.ts'

/**
 * The paths of the fields that were sent to the host and that its answer lacks, such as `spec.volumes[v].emptyDir.mode`:
 * it knows them, but their feature gates are off. Other values and more fields are the host's right.
 */
export function droppedFields(sent: unknown, stored: unknown, at: string): string[] {
  if (Array.isArray(sent) && Array.isArray(stored)) {
    return sent.flatMap((one: unknown, index) => {
      const name = isRecord(one) && typeof one['name'] === 'string' ? one['name'] : undefined
      const isSame = (other: unknown) => isRecord(other) && other['name'] === name
      // The host may have added some in front of it.
      const other: unknown = name === undefined ? stored[index] : stored.find(isSame)
      return droppedFields(one, other, `${at}[${name ?? index}]`)
    })
  }
  if (!isRecord(sent)) {
    return []
  }
  return Object.entries(sent).flatMap(([field, value]) => {
    const path = `${at}.${field}`
    const other = isRecord(stored) ? stored[field] : undefined
    if (other === undefined) {
      return isEmpty(value) ? [] : [path]
    }
    return droppedFields(value, other, path)
  })
}

/** Reports in an Event which fields of a pod the host has dropped: it takes the pod without them, and does not say so. */
export async function reportDropped(
  { reporter }: { reporter: Reporter },
  virtual: KubeObject,
  dropped: readonly string[],
): Promise<void> {
  if (dropped.length > 0) {
    const message = `the host cluster runs the pod without ${dropped.join(', ')}: its feature gate is off there, or a webhook of the host has removed it`
    await reporter.report(virtual, { type: 'Warning', reason: 'HostDropped', message })
  }
}

/** Whether the API leaves such a value out of its answers. */
function isEmpty(value: unknown): boolean {
  return (
    !isProvided(value) ||
    ['', 0, false].some((one) => one === value) ||
    (isRecord(value) && Object.values(value).every(isEmpty))
  )
}
