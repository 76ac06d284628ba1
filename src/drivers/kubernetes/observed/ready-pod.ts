import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { HostApi } from '../host/host-api.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { isReadyPod } from './observed-plane.ts'

/** Lists the pods of a component. */
export async function componentPods(
  api: Pick<HostApi, 'list'>,
  { component, name, namespace }: PlacedName & { component: AnyComponentName },
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const labelSelector = componentSelector(name, component)
  return (await api.list(collectionPath('pods', namespace), { labelSelector, signal })).items
}

export interface PodWanted extends PlacedName {
  component: AnyComponentName
  /** Name of the pod. @default a ready one */
  instance?: string | undefined
}

/** @throws {VplaneError} `FAILED` when no pod is ready, or the named one does not exist. */
export async function readyPod(
  api: Pick<HostApi, 'list'>,
  { component, instance, name, namespace }: PodWanted,
  signal: AbortSignal,
): Promise<string> {
  const pods = await componentPods(api, { component, name, namespace }, signal)
  const pod = pods.find((one) =>
    instance === undefined ? isReadyPod(one) : one.metadata.name === instance,
  )?.metadata.name
  if (pod === undefined) {
    throw new VplaneError(
      'FAILED',
      instance === undefined
        ? `no ${component} of "${name}" is ready`
        : `"${instance}" does not exist`,
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
