import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** Label on nodes, volumes and classes that a syncer created in the plane for something of the host. */
export const VIRTUAL_LABEL = 'vplane.dev/virtual'

/** Whether a syncer created this object in the plane for something of the host. */
export function isVirtual({ metadata }: KubeObject): boolean {
  return metadata.labels?.[VIRTUAL_LABEL] === 'true'
}
