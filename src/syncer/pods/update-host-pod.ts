import { isDeepStrictEqual } from 'node:util'
import { recordsAt, fieldAt } from '../../shared/json-fields.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { KEYS_ANNOTATION } from '../translate/markers.ts'
import { isRefusal } from '../translate/refusal.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { addEphemeralContainers, type RefusedContainer } from './add-ephemeral-containers.ts'
import { ensureTokens } from './ensure-tokens.ts'
import type { PodTranslation } from './pod-translator.ts'
import { resizeHostPod } from './resize-host-pod.ts'
import { objectPath } from '../../shared/kube/collections.ts'

type UpdateContext = PodTranslation &
  Pick<SyncContext, 'scope' | 'host' | 'plane' | 'secrets' | 'now' | 'translatePod' | 'reporter'>

/** What of a container may change while its pod runs. */
const CONTAINER_LISTS = ['containers', 'initContainers'] as const

/**
 * Brings to a host pod what may change of a pod that is there: labels, annotations, images, the deadline, resources,
 * ephemeral containers; and tokens that have lived for long enough. What the host will not have is said in an Event.
 *
 * @returns the ephemeral containers that the host does not have for that reason
 */
export async function updateHostPod(
  context: UpdateContext,
  { host, virtual }: { virtual: KubeObject; host: KubeObject },
  signal: AbortSignal,
): Promise<RefusedContainer[]> {
  const translated = context.translatePod(virtual)
  if (isRefusal(translated)) {
    // It was taken before: by other rules, or by a syncer of another version. What runs goes on.
    return []
  }
  await ensureTokens(context, { virtual, needs: translated.needs.tokens, owner: host }, signal)
  const patch = { ...metadataPatch(host, translated.pod), ...specPatch(host, translated.pod) }
  if (Object.keys(patch).length > 0) {
    const path = objectPath('pods', host.metadata)
    await context.host.patch(path, patch, { type: 'strategic', signal })
  }
  const refusal = await resizeHostPod(context, { virtual, host, wanted: translated.pod }, signal)
  if (refusal !== undefined) {
    const message = `the pod keeps its resources: ${refusal}`
    await context.reporter.report(virtual, { type: 'Warning', reason: 'HostRefused', message })
  }
  const refused = await addEphemeralContainers(context, { virtual, host }, signal)
  const unsaid = refused.filter((container) => !isShown(virtual, container))
  for (const { message, name, reason } of unsaid) {
    const text = `ephemeral container "${name}": ${message}`
    await context.reporter.report(virtual, { type: 'Warning', reason, message: text })
  }
  return refused
}

/** It can never be taken out of its pod again: once is enough. */
function isShown(virtual: KubeObject, { message, name, reason }: RefusedContainer): boolean {
  return recordsAt(virtual, 'status', 'ephemeralContainerStatuses').some(
    (shown) =>
      shown['name'] === name && isDeepStrictEqual(shown['state'], { waiting: { reason, message } }),
  )
}

function metadataPatch(host: KubeObject, wanted: KubeObject): { metadata?: object } {
  const labels = changes(host.metadata.labels, wanted.metadata.labels)
  // Others on the host annotate pods, too: what they say stays.
  const ours = [
    ...(host.metadata.annotations?.[KEYS_ANNOTATION] ?? '').split(' '),
    ...Object.keys(wanted.metadata.annotations ?? {}),
  ]
  const annotations = changes(pick(host.metadata.annotations, ours), wanted.metadata.annotations)
  const metadata = {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  }
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}

/** A merge patch from one map to another. */
function changes(
  from: Record<string, string> = {},
  to: Record<string, string> = {},
): Record<string, string | null> | undefined {
  const removed = Object.keys(from).filter((key) => !(key in to))
  const changed = Object.entries(to).filter(([key, value]) => from[key] !== value)
  const patch = Object.fromEntries([...removed.map((key) => [key, null] as const), ...changed])
  return Object.keys(patch).length === 0 ? undefined : patch
}

function pick(from: Record<string, string> = {}, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)))
}

function specPatch(host: KubeObject, wanted: KubeObject): { spec?: object } {
  const images = CONTAINER_LISTS.flatMap((list) => {
    const known = recordsAt(host, 'spec', list)
    const changed = recordsAt(wanted, 'spec', list)
      .map(({ image, name }) => ({ name, image }))
      .filter(
        ({ image, name }) => !known.some((one) => one['name'] === name && one['image'] === image),
      )
    return changed.length === 0 ? [] : [[list, changed] as const]
  })
  const [known, deadline] = [host, wanted].map((pod) =>
    fieldAt(pod, 'spec', 'activeDeadlineSeconds'),
  )
  const spec = {
    ...Object.fromEntries(images),
    ...(deadline === undefined || deadline === known ? {} : { activeDeadlineSeconds: deadline }),
  }
  return Object.keys(spec).length === 0 ? {} : { spec }
}
