import type { UserSpec } from '../../control-plane/spec/spec.ts'
import { parseSpec } from '../../control-plane/spec/parse-spec.ts'
import { fieldAt, recordAt, textsAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** Keeps a ControlPlane until its plane is gone. */
export const FINALIZER = 'vplane.dev/control-plane'

/** What becomes of a plane when its ControlPlane is deleted. */
const POLICIES = ['Delete', 'LeaveData', 'Retain', 'Snapshot'] as const

/** The spec of a plane in a ControlPlane. @throws {VplaneError} `INVALID_SPEC` for what no schema can say. */
export function specOf(resource: KubeObject): UserSpec {
  const own = ['deletionPolicy', 'paused', 'startsInOrder']
  const fields = Object.entries(recordAt(resource, 'spec') ?? {})
  const spec = Object.fromEntries(fields.filter(([name]) => !own.includes(name)))
  return parseSpec({ file: { text: JSON.stringify(spec), path: 'spec' } })
}

/** Whether the plane is to be paused. */
export function isPausedIn(resource: KubeObject): boolean {
  return fieldAt(resource, 'spec', 'paused') === true
}

/** What becomes of the plane when the ControlPlane is deleted: by default it is deleted, too. */
export function deletionPolicyOf(resource: KubeObject): (typeof POLICIES)[number] {
  const policy = fieldAt(resource, 'spec', 'deletionPolicy')
  return POLICIES.find((one) => one === policy) ?? 'Delete'
}

export function hasFinalizer({ metadata }: KubeObject): boolean {
  return textsAt(metadata, 'finalizers').includes(FINALIZER)
}
