import { recordsAt, textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { CONTAINER_LISTS } from './cached-host-pod.ts'

/**
 * The names of a virtual pod's containers that its host pod has in the same list. Of another list, it is a container that
 * the host has added: its name is free in the plane, where a user can give it to an ephemeral container.
 */
export function ownContainers(virtual: KubeObject, host: KubeObject): string[] {
  return CONTAINER_LISTS.flatMap((list) => {
    const onHost = new Set(namesIn(host, list))
    return namesIn(virtual, list).filter((name) => onHost.has(name))
  })
}

function namesIn(pod: KubeObject, list: string): string[] {
  return recordsAt(pod, 'spec', list).flatMap((container) => textAt(container, 'name') ?? [])
}
