import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { type Json, recordAt, recordsAt, textAt, textMapAt } from '../../shared/json-fields.ts'
import { changeHostPod } from './change-host-pod.ts'

const LISTS = ['containers', 'initContainers'] as const

/**
 * Gives the containers of a host pod the resources that those of the virtual one were given since. What the host gave
 * them besides stays. Whether and when its node has room for it, shows in the status.
 *
 * @returns why the host will not have it
 */
export async function resizeHostPod(
  context: Pick<SyncContext, 'host' | 'scope'>,
  { host, virtual, wanted }: { virtual: KubeObject; host: KubeObject; wanted: KubeObject },
  signal: AbortSignal,
): Promise<string | undefined> {
  const lists = LISTS.flatMap((list) => {
    const known = new Map(containersOf(host, list).map((one) => [one.name, one]))
    const resized = containersOf(wanted, list).filter((one) => differs(known.get(one.name), one))
    return resized.length === 0 ? [] : [[list, resized] as const]
  })
  const change = { virtual, host, subresource: 'resize', spec: Object.fromEntries(lists) } as const
  return lists.length === 0 ? undefined : changeHostPod(context, change, signal)
}

interface SizedContainer {
  name: string
  resources: Json
}

function containersOf(pod: KubeObject, list: (typeof LISTS)[number]): SizedContainer[] {
  return recordsAt(pod, 'spec', list).map((container) => ({
    name: textAt(container, 'name') ?? '',
    resources: recordAt(container, 'resources') ?? {},
  }))
}

function differs(known: SizedContainer | undefined, { resources }: SizedContainer): boolean {
  return (
    known !== undefined &&
    ['limits', 'requests'].some((field) =>
      Object.entries(textMapAt(resources, field)).some(
        ([resource, quantity]) => textMapAt(known.resources, field)[resource] !== quantity,
      ),
    )
  )
}
