import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** Label of what a syncer has put into the plane for something of the host: nodes, volumes, classes. */
export const VIRTUAL_LABEL = 'vplane.dev/virtual'

/** Tells what a syncer has put into the plane from what its users made. */
export function isVirtual({ metadata }: KubeObject): boolean {
  return metadata.labels?.[VIRTUAL_LABEL] === 'true'
}
