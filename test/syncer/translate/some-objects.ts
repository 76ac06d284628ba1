import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import type { SyncScope } from '../../../src/syncer/scope/sync-scope.ts'
import { toHostMetadata } from '../../../src/syncer/translate/host-metadata.ts'

export const SCOPE: SyncScope = {
  plane: 'dev',
  planeId: '6f9d3a3e-kube-system',
  host: { namespace: 'team-a' },
}

/** An object in the plane's namespace `shop`. */
export function virtualObject(
  kind: string,
  fields: Record<string, unknown> = {},
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-of-web', ...metadata },
    ...fields,
  }
}

/** A host object with the metadata that the syncer gives the one of a virtual object. */
export function hostOf(virtual: KubeObject, fields: Record<string, unknown> = {}): KubeObject {
  return {
    ...virtual,
    metadata: { ...toHostMetadata({ scope: SCOPE, resource: 'pods' }, virtual) },
    ...fields,
  }
}
