import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { type Json, recordsAt, textAt } from '../../shared/json-fields.ts'
import { toHostEphemeralContainer } from '../translate/pods/to-host-pod.ts'
import { isRefusal } from '../translate/refusal.ts'
import { changeHostPod } from './change-host-pod.ts'
import { podContext, type PodTranslation } from './pod-translator.ts'

/** An ephemeral container that the host does not have, and why. */
export interface RefusedContainer {
  name: string
  image: string
  reason: 'SyncRefused' | 'HostRefused'
  message: string
}

type EphemeralContext = PodTranslation & Pick<SyncContext, 'host' | 'scope'>

/**
 * Adds to a host pod the ephemeral containers that the virtual one was given since; returns those that cannot be. Each is
 * asked for alone: one that is refused can never be taken out of a pod again, and must not keep others out.
 */
export async function addEphemeralContainers(
  context: EphemeralContext,
  { host, virtual }: { virtual: KubeObject; host: KubeObject },
  signal: AbortSignal,
): Promise<RefusedContainer[]> {
  const known = new Set(ephemeralOf(host).map(({ name }) => name))
  const missing = ephemeralOf(virtual).filter(({ name }) => !known.has(name))
  const refused: RefusedContainer[] = []
  for (const container of missing) {
    const refusal = await add(context, { host, virtual, container }, signal)
    if (refusal !== undefined) {
      const [name = '', image = ''] = ['name', 'image'].map((field) => textAt(container, field))
      refused.push({ name, image, ...refusal })
    }
  }
  return refused
}

async function add(
  context: EphemeralContext,
  { container, host, virtual }: { virtual: KubeObject; host: KubeObject; container: Json },
  signal: AbortSignal,
): Promise<Pick<RefusedContainer, 'reason' | 'message'> | undefined> {
  const translated = toHostEphemeralContainer(virtual, container, podContext(context, virtual))
  if (isRefusal(translated)) {
    const reasons = translated.refusals.join('; ')
    const message = `the host cluster is not asked: ${reasons}; kubectl debug asks for less with --profile=baseline`
    return { reason: 'SyncRefused', message }
  }
  const spec = { ephemeralContainers: [translated.container] }
  const change = { virtual, host, subresource: 'ephemeralcontainers', spec } as const
  const message = await changeHostPod(context, change, signal)
  return message === undefined ? undefined : { reason: 'HostRefused', message }
}

function ephemeralOf(pod: KubeObject): Json[] {
  return recordsAt(pod, 'spec', 'ephemeralContainers')
}
