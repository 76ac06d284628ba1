import { NAME_ANNOTATION, NAMESPACE_ANNOTATION } from '../../../manifests/object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The name in its plane of what a host object stands for: `default/data-db-0`. */
export function virtualNameOf({ metadata }: KubeObject): string {
  const { annotations = {}, name = '' } = metadata
  return [annotations[NAMESPACE_ANNOTATION], annotations[NAME_ANNOTATION] ?? name]
    .filter((part) => part !== undefined)
    .join('/')
}
