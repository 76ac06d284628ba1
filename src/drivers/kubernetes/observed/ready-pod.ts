import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { isReadyPod } from './observed-plane.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

export interface PodWanted extends PlacedName {
  component: AnyComponentName
  /** Name of the pod that is meant. @default one that is ready */
  instance?: string | undefined
}

/**
 * The name of a pod of a component, which is ready or named.
 *
 * @throws {VplaneError} `FAILED` when there is none.
 */
export async function readyPod(
  api: Pick<HostApi, 'list'>,
  { component, instance, name, namespace }: PodWanted,
  signal: AbortSignal,
): Promise<string> {
  const labelSelector = componentSelector(name, component)
  const { items } = await api.list(collectionPath('pods', namespace), { labelSelector, signal })
  const isMeant = ({ metadata }: KubeObject) => metadata.name === instance
  const pod = items.find(instance === undefined ? isReadyPod : isMeant)?.metadata.name
  if (pod === undefined) {
    throw new VplaneError(
      'FAILED',
      instance === undefined ? `no ${component} of "${name}" is ready` : `"${instance}" is gone`,
      {
        hints: [
          { action: 'describe', plane: { name, namespace } },
          { action: 'resume', plane: { name, namespace } },
        ],
      },
    )
  }
  return pod
}
