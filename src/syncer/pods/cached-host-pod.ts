import { recordAt, recordsAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { hasApiVariables } from '../translate/pods/container-env.ts'
import { picked } from '../translate/reading.ts'

/** The lists of containers in the spec of a pod. */
export const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers']

/** All fields of the spec of a host pod, and of its containers, that the syncer reads. */
const SPEC = ['activeDeadlineSeconds', 'affinity', 'hostNetwork', 'nodeName']
const CONTAINER = ['image', 'name', 'ports', 'resources']

/**
 * The part of a host pod that the syncer caches: half of it. The rest of the spec was written by the syncer itself. Ephemeral
 * containers that someone else has added on the host are left out, so that they are never taken for those of the plane.
 */
export function cachedHostPod(pod: KubeObject): KubeObject {
  const spec = recordAt(pod, 'spec') ?? {}
  const lists = CONTAINER_LISTS.map((list) => [
    list,
    recordsAt(spec, list)
      .filter((container) => list !== 'ephemeralContainers' || hasApiVariables(container))
      .map((container) => picked(container, CONTAINER)),
  ])
  return {
    ...pod,
    spec: { ...picked(spec, SPEC), ...picked(Object.fromEntries(lists), CONTAINER_LISTS) },
  }
}
