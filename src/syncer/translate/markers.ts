/** Label on host objects: the namespace of their virtual objects. Nothing else of a plane has it. */
export const NAMESPACE_LABEL = 'vplane.dev/synced-namespace'

/** Annotations on host objects that say whose translation they are. */
export {
  NAME_ANNOTATION,
  NAMESPACE_ANNOTATION,
  UID_ANNOTATION,
} from '../../manifests/object-names.ts'
/** The keys of all annotations that we gave a host object, so that those of others can be told from what went away. */
export const KEYS_ANNOTATION = 'vplane.dev/annotations'
/** The UID of the plane's `kube-system`: another one belongs to a plane that was emptied or brought back. */
export const PLANE_ID_ANNOTATION = 'vplane.dev/plane-id'
