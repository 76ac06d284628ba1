import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { picked } from '../reading.ts'
import { textAt } from '../../../shared/json-fields.ts'

/**
 * Types that tell a kubelet or an ingress controller what is in a Secret. All others mean something to controllers:
 * a host would fill in the token of a ServiceAccount of its own, and vplane takes `vplane.dev/record` for a plane.
 */
const KEPT_TYPES = [
  'kubernetes.io/basic-auth',
  'kubernetes.io/dockercfg',
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/ssh-auth',
  'kubernetes.io/tls',
]

/** The host Secret of a virtual one: data alone, of a type that makes the host do nothing. */
export function toHostSecret(
  scope: SyncScope,
  virtual: KubeObject,
  owner?: OwnerReference,
): KubeObject {
  const type = textAt(virtual, 'type') ?? 'Opaque'
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: toHostMetadata(scope, virtual, owner),
    type: KEPT_TYPES.includes(type) ? type : 'Opaque',
    ...picked(virtual, ['data', 'immutable']),
  }
}
