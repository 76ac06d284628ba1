import type { UserSpec } from '../control-plane/spec/spec.ts'
import { parseSpec } from '../control-plane/spec/parse-spec.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'

/** Keeps a ControlPlane until its plane is gone. */
export const FINALIZER = 'vplane.dev/control-plane'

/** The spec of a plane in a ControlPlane. @throws {VplaneError} `INVALID_SPEC` for what no schema can say. */
export function specOf(resource: KubeObject): UserSpec {
  const text = JSON.stringify(resource['spec'] ?? {})
  return parseSpec({ file: { text, path: 'spec' } })
}
