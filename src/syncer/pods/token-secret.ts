import type { KubeObject } from '../../kube/kube-object.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { markerLabels, type OwnerReference } from '../translate/host-metadata.ts'

export interface TokenSecretOptions {
  /** The pod that it is for. */
  virtual: KubeObject
  name: string
  /** Tokens by their keys. */
  tokens: ReadonlyArray<readonly [string, string]>
  annotations: Record<string, string>
  owner: OwnerReference | undefined
}

/** The Secret that holds the tokens of one host pod; never an annotation, which everybody may read who may read pods. */
export function tokenSecret(
  scope: SyncScope,
  { annotations, name, owner, tokens, virtual }: TokenSecretOptions,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: scope.host.namespace,
      labels: markerLabels(scope, virtual.metadata.namespace),
      annotations,
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    type: 'Opaque',
    data: Object.fromEntries(
      tokens.map(([key, token]) => [key, Buffer.from(token).toString('base64')]),
    ),
  }
}
