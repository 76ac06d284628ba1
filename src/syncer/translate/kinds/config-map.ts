import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { picked } from '../reading.ts'

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
