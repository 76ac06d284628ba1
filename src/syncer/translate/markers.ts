/** Label on host objects: the namespace of their virtual objects. No other object of a plane has it. */
export const NAMESPACE_LABEL = 'vplane.dev/synced-namespace'
/** Annotations on host objects that name their virtual object. */
export {
  NAME_ANNOTATION,
  NAMESPACE_ANNOTATION,
  UID_ANNOTATION,
} from '../../manifests/object-names.ts'
/** Annotation on host objects: the keys of all annotations that the syncer set, so that it can remove outdated ones. */
export const KEYS_ANNOTATION = 'vplane.dev/annotations'
/** Annotation on host objects: the keys of all labels that the syncer set. */
export const LABELS_ANNOTATION = 'vplane.dev/labels'
/** Annotation on host pods: the images that the syncer set, by the names of their containers. */
export const IMAGES_ANNOTATION = 'vplane.dev/images'
/** Annotation on host objects: the UID of the plane's `kube-system`, which changes when the plane is emptied or restored. */
export const PLANE_ID_ANNOTATION = 'vplane.dev/plane-id'
/** Annotation on Events of the plane: the version of the host's Event that they show. */
export const SHOWN_VERSION_ANNOTATION = 'vplane.dev/shown-version'

export { isVirtual, VIRTUAL_LABEL } from '../../control-plane/sync/virtual-label.ts'
