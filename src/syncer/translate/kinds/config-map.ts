import { textAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { picked } from '../reading.ts'

/**
 * Types that only tell a kubelet or an ingress controller what a Secret contains. Controllers act on other types: a host
 * would add the token of its own ServiceAccount, and vplane would read `vplane.dev/record` as a plane.
 */
const COPIED_TYPES = [
  'kubernetes.io/basic-auth',
  'kubernetes.io/dockercfg',
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/ssh-auth',
  'kubernetes.io/tls',
]

/** The host ConfigMap of a virtual one. */
export function toHostConfigMap(
  scope: SyncScope,
  virtual: KubeObject,
  owner?: OwnerReference,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: toHostMetadata(scope, virtual, owner),
    ...picked(virtual, ['binaryData', 'data', 'immutable']),
  }
}

/** The host Secret of a virtual one, with a type that no controller of the host acts on. */
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
    type: COPIED_TYPES.includes(type) ? type : 'Opaque',
    ...picked(virtual, ['data', 'immutable']),
  }
}
