import { textAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { OBJECT_FIELDS } from '../object-fields.ts'

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

/** The decision for each field of a ConfigMap. */
export const CONFIG_MAP_FIELDS = {
  ...OBJECT_FIELDS,
  binaryData: 'copy',
  data: 'copy',
  immutable: 'copy',
} as const satisfies FieldDecisions

/** The decision for each field of a Secret. */
export const SECRET_FIELDS = {
  ...OBJECT_FIELDS,
  data: 'copy',
  immutable: 'copy',
  // The API writes it to `data`, and never shows it.
  stringData: 'drop',
  type: 'translate',
} as const satisfies FieldDecisions

/** The host ConfigMap of a virtual one. */
export function toHostConfigMap(
  scope: SyncScope,
  virtual: KubeObject,
  owner?: OwnerReference,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: toHostMetadata({ scope, resource: 'configmaps', owner }, virtual),
    ...copiedFields(CONFIG_MAP_FIELDS, virtual),
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
    metadata: toHostMetadata({ scope, resource: 'secrets', owner }, virtual),
    type: COPIED_TYPES.includes(type) ? type : 'Opaque',
    ...copiedFields(SECRET_FIELDS, virtual),
  }
}
