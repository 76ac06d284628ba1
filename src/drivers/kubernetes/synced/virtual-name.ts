import { NAME_ANNOTATION, NAMESPACE_ANNOTATION } from '../../../manifests/object-names.ts'
import type { HostObject } from '../host/host-api.ts'

/** The name in its plane of what a host object stands for: `default/data-db-0`. */
export function virtualNameOf({ metadata }: HostObject): string {
  const { annotations = {}, name = '' } = metadata
  return [annotations[NAMESPACE_ANNOTATION], annotations[NAME_ANNOTATION] ?? name]
    .filter((part) => part !== undefined)
    .join('/')
}
