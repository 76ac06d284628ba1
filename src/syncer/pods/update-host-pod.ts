import { isDeepStrictEqual } from 'node:util'
import { recordsAt, fieldAt } from '../../shared/json-fields.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { IMAGES_ANNOTATION } from '../translate/markers.ts'
import { ofOthers } from '../translate/written.ts'
import { provided } from '../translate/reading.ts'
import { isRefusal } from '../translate/refusal.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { addEphemeralContainers, type RefusedContainer, resizeHostPod } from './change-host-pod.ts'
import { ensureTokens, type TokenContext } from './ensure-tokens.ts'
import type { PodTranslation } from './pod-translator.ts'
import { objectPath } from '../../shared/kube/collections.ts'

type UpdateContext = PodTranslation &
  TokenContext &
  Pick<SyncContext, 'scope' | 'host' | 'plane' | 'secrets' | 'now' | 'translatePod' | 'reporter'>

/** How a host pod is after an update. */
export interface PodUpdate {
  refused: RefusedContainer[]
  /** Whether the known host pod was as wanted, so that its status is about the current virtual pod. */
  isCurrent: boolean
}

/** Updates what can change, and due tokens. An Event reports refusals. */
export async function updateHostPod(
  options: UpdateContext,
  { host, virtual }: { virtual: KubeObject; host: KubeObject },
  signal: AbortSignal,
): Promise<PodUpdate> {
  let isCurrent = true
  const patch: UpdateContext['host']['patch'] = async (...args) => {
    const patched = await options.host.patch(...args)
    isCurrent = false
    return patched
  }
  const context = { ...options, host: { ...options.host, patch } }
  const translated = context.translatePod(virtual)
  await ensureTokens(context, { virtual, needs: translated.needs.tokens, owner: host }, signal)
  if (isRefusal(translated)) {
    // Other rules or another version of the syncer allowed it: the pod continues to run.
    return { refused: [], isCurrent }
  }
  const changed = { ...metadataPatch(host, translated.pod), ...specPatch(host, translated.pod) }
  if (Object.keys(changed).length > 0) {
    const path = objectPath('pods', host.metadata)
    await context.host.patch(path, changed, { type: 'strategic', signal })
  }
  const refusal = await resizeHostPod(context, { virtual, host, wanted: translated.pod }, signal)
  if (refusal !== undefined) {
    const message = `the pod keeps its resources: ${refusal}`
    await context.reporter.report(virtual, { type: 'Warning', reason: 'HostRefused', message })
  }
  const refused = await addEphemeralContainers(context, { virtual, host }, signal)
  for (const container of refused.filter((one) => !isShown(virtual, one))) {
    const { name, reason } = container
    const message = `ephemeral container "${name}": ${container.message}`
    await context.reporter.report(virtual, { type: 'Warning', reason, message })
  }
  return { refused, isCurrent }
}

/** Reported once is enough, since it can never be removed from its pod. */
function isShown(virtual: KubeObject, { message, name, reason }: RefusedContainer): boolean {
  return recordsAt(virtual, 'status', 'ephemeralContainerStatuses').some(
    (shown) =>
      shown['name'] === name && isDeepStrictEqual(shown['state'], { waiting: { reason, message } }),
  )
}

function metadataPatch(host: KubeObject, wanted: KubeObject): { metadata?: object } {
  const others = ofOthers(host)
  const [annotations, labels] = (['annotations', 'labels'] as const).map((field) =>
    changes(host.metadata[field], { ...others[field], ...wanted.metadata[field] }),
  )
  const metadata = provided({ labels, annotations })
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}

/** The merge patch from one map to another; undefined when they are equal. */
function changes(
  from: Record<string, string> = {},
  to: Record<string, string> = {},
): Record<string, string | null> | undefined {
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key))
  const changed = Object.entries(to).filter(([key, value]) => from[key] !== value)
  const patch = Object.fromEntries([...removed.map((key) => [key, null] as const), ...changed])
  return Object.keys(patch).length === 0 ? undefined : patch
}

function specPatch(host: KubeObject, wanted: KubeObject): { spec?: object } {
  const [before, now] = [host, wanted].map(
    ({ metadata }) => metadata.annotations?.[IMAGES_ANNOTATION],
  )
  // A host may have replaced an image by that of a mirror.
  const lists = before === now ? [] : ['containers', 'initContainers']
  const images = lists.flatMap((list) => {
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
  const activeDeadlineSeconds = deadline === known ? undefined : deadline
  const spec = provided({ ...Object.fromEntries(images), activeDeadlineSeconds })
  return Object.keys(spec).length === 0 ? {} : { spec }
}
