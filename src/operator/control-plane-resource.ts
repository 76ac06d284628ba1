import type { UserSpec } from '../control-plane/spec/spec.ts'
import { parseSpec } from '../control-plane/spec/parse-spec.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'

const GROUP = '/apis/vplane.dev/v1beta1'

/** Keeps a ControlPlane until its plane is gone. */
export const FINALIZER = 'vplane.dev/control-plane'

/** The path of all ControlPlanes, or of those in a namespace. */
export function controlPlanesPath(namespace?: string): string {
  return namespace === undefined
    ? `${GROUP}/controlplanes`
    : `${GROUP}/namespaces/${namespace}/controlplanes`
}

/** The path of one ControlPlane. */
export function controlPlanePath({ name = '', namespace = '' }: KubeObject['metadata']): string {
  return `${controlPlanesPath(namespace)}/${name}`
}

/** The spec of a plane in a ControlPlane. @throws {VplaneError} `INVALID_SPEC` for what no schema can say. */
export function specOf(resource: KubeObject): UserSpec {
  const text = JSON.stringify(resource['spec'] ?? {})
  return parseSpec({ file: { text, path: 'spec' } })
}
