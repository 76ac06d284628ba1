import { httpStatusOf } from '../../kube/kube-error.ts'
import { messageOf } from '../../shared/errors.ts'
import { type Json, recordAt, recordsAt, textAt, textMapAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { hostMessage, isFinalRefusal } from '../events/reporter.ts'
import { toHostEphemeralContainer } from '../translate/pods/to-host-pod.ts'
import { isRefusal } from '../translate/refusal.ts'
import { droppedFields, reportDropped } from './dropped-fields.ts'
import { endedEphemeral } from './can-start-again.ts'
import { podContext, type PodTranslation } from './pod-translator.ts'

type ChangeContext = Pick<SyncContext, 'host' | 'scope'>
type AddContext = ChangeContext & Pick<SyncContext, 'reporter'> & PodTranslation

interface Pair {
  virtual: KubeObject
  host: KubeObject
}

/** An ephemeral container that the host pod does not have, and why. */
export interface RefusedContainer {
  name: string
  image: string
  reason: 'SyncRefused' | 'HostRefused'
  message: string
}

/**
 * Adds those that the host pod lacks and that have not ended. A refused one stays in the virtual pod, and must not block
 * others: each has its own request. Returns the refused.
 */
export async function addEphemeralContainers(
  context: AddContext,
  { host, virtual }: Pair,
  signal: AbortSignal,
): Promise<RefusedContainer[]> {
  const known = new Set([...ephemeralOf(host), ...endedEphemeral(virtual)].map(({ name }) => name))
  const refused: RefusedContainer[] = []
  for (const container of ephemeralOf(virtual).filter(({ name }) => !known.has(name))) {
    const refusal = await addContainer(context, { host, virtual, container }, signal)
    if (refusal !== undefined) {
      const [name = '', image = ''] = ['name', 'image'].map((field) => textAt(container, field))
      refused.push({ name, image, ...refusal })
    }
  }
  return refused
}

async function addContainer(
  context: AddContext,
  { container, host, virtual }: Pair & { container: Json },
  signal: AbortSignal,
): Promise<Pick<RefusedContainer, 'reason' | 'message'> | undefined> {
  const translated = toHostEphemeralContainer(virtual, container, podContext(context, virtual))
  if (isRefusal(translated)) {
    const reasons = translated.refusals.join('; ')
    const message = `not synced to the host cluster: ${reasons}; kubectl debug --profile=baseline adds one with fewer permissions`
    return { reason: 'SyncRefused', message }
  }
  const spec = { ephemeralContainers: [translated.container] }
  const change = { virtual, host, subresource: 'ephemeralcontainers', spec } as const
  const { changed, message } = await changeHostPod(context, change, signal)
  const stored = ephemeralOf(changed).find(({ name }) => name === container['name'])
  if (stored !== undefined) {
    const at = `spec.ephemeralContainers[${String(container['name'])}]`
    await reportDropped(context, virtual, droppedFields(translated.container, stored, at))
  }
  return message === undefined ? undefined : { reason: 'HostRefused', message }
}

function ephemeralOf(pod: KubeObject | undefined): Json[] {
  return recordsAt(pod, 'spec', 'ephemeralContainers')
}

/** Changes resources, and returns why the host refuses; the pod's status shows whether the node has room for them. */
export async function resizeHostPod(
  context: ChangeContext,
  { host, virtual, wanted }: Pair & { wanted: KubeObject },
  signal: AbortSignal,
): Promise<string | undefined> {
  const lists = ['containers', 'initContainers'].flatMap((list) => {
    const known = new Map(containersOf(host, list).map((one) => [one.name, one]))
    const resized = containersOf(wanted, list).filter((one) => differs(known.get(one.name), one))
    return resized.length === 0 ? [] : [[list, resized] as const]
  })
  const change = { virtual, host, subresource: 'resize', spec: Object.fromEntries(lists) } as const
  return lists.length === 0 ? undefined : (await changeHostPod(context, change, signal)).message
}

interface SizedContainer {
  name: string
  resources: Json
}

function containersOf(pod: KubeObject, list: string): SizedContainer[] {
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

interface HostPodChange extends Pair {
  subresource: 'ephemeralcontainers' | 'resize'
  spec: object
}

/** Changes a subresource of a host pod, or returns why the host refuses it; neither if the pod does not exist any more. */
async function changeHostPod(
  { host: client, scope }: ChangeContext,
  { host, spec, subresource, virtual }: HostPodChange,
  signal: AbortSignal,
): Promise<{ changed?: KubeObject; message?: string }> {
  const { name = '' } = host.metadata
  const path = `${objectPath('pods', host.metadata)}/${subresource}`
  try {
    return { changed: await client.patch(path, { spec }, { type: 'strategic', signal }) }
  } catch (error) {
    const isMissing = httpStatusOf(error) === 404
    if (isMissing && messageOf(error).includes(name)) {
      return {}
    }
    if (isMissing || isFinalRefusal(error)) {
      return { message: `refused by the host cluster: ${hostMessage(scope, virtual, error)}` }
    }
    throw error
  }
}
