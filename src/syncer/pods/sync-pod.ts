import { isDeepStrictEqual } from 'node:util'
import type { SchedulerChoice } from '../../control-plane/spec/fields/host-spec.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { type ObjectCache, unlessChanged } from '../../kube/cache/object-cache.ts'
import { type ObjectKey, parseObjectKey } from '../../kube/cache/object-key.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { hostKeyOf } from '../translate/host-name.ts'
import { isOfEarlier, virtualOf } from '../translate/host-metadata.ts'
import { canStartAgain } from './can-start-again.ts'
import { isEnded, isGated, isPlaced, needsNode, nodeNameOf } from '../translate/pod-fields.ts'
import { toVirtualStatus } from './pod-status.ts'
import type { PodUpdate } from './update-host-pod.ts'
import { recordAt } from '../../shared/json-fields.ts'

export interface PodSyncOptions {
  scope: SyncScope
  plane: Pick<KubeClient, 'create' | 'replace' | 'delete'>
  host: Pick<KubeClient, 'delete'>
  pods: Record<'virtual' | 'host', Pick<ObjectCache, 'get'>>
  /** The virtual name of a host object; undefined when that does not belong to this plane. */
  virtualNameOf: (hostName: string) => string | undefined
  /** The UIDs of the virtual pods whose host pods this process has observed. */
  observedPods: Map<ObjectKey, string | undefined>
  ensureNode: (name: string, signal: AbortSignal) => Promise<void>
  createHostPod: (virtual: KubeObject, signal: AbortSignal) => Promise<void>
  surroundings: { scheduler?: SchedulerChoice | undefined }
  /** The last writes that changed nothing, by virtual or host object. */
  settled: WeakMap<KubeObject, KubeObject>
  /** Whether a host pod has to be replaced, because its node or its rules about nodes are wrong. */
  isMisplaced: (pair: Pair) => boolean
  /** Updates what can change in an existing host pod. */
  updateHostPod: (pair: Pair, signal: AbortSignal) => Promise<PodUpdate>
}

interface Pair {
  virtual: KubeObject
  host: KubeObject
}

/** Syncs a virtual pod to its host pod, and the status back; level-based: it does the next step from the current state. */
export async function syncPod(
  options: PodSyncOptions,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const { pods, scope, observedPods } = options
  const virtual = pods.virtual.get(key)
  const known = pods.host.get(hostKeyOf(scope, parseObjectKey(key)))
  if (known !== undefined && virtualOf(scope, known) === undefined) {
    throw new Error(
      `pod "${known.metadata.name}" of the host namespace does not belong to this plane`,
    )
  }
  if (virtual === undefined) {
    observedPods.delete(key)
    return known === undefined ? undefined : deleteHostPod(options, { host: known }, signal)
  }
  // The virtual pod was deleted and created again: the host pod of the earlier one has to be deleted first.
  if (known !== undefined && isOfEarlier(known, virtual)) {
    return deleteHostPod(options, { host: known }, signal)
  }
  if (isLeaving(virtual)) {
    return finishDeletion(options, { virtual, host: known }, signal)
  }
  const { uid } = virtual.metadata
  if (known === undefined) {
    const wasObserved = observedPods.get(key) === uid
    return handleMissingHostPod(options, { virtual, wasObserved }, signal)
  }
  const pair = { virtual, host: known }
  if (options.isMisplaced(pair)) {
    // So that the next sync creates it again.
    observedPods.delete(key)
    const { resourceVersion } = known.metadata
    return deleteHostPod(options, { host: known, resourceVersion }, signal)
  }
  observedPods.set(key, uid)
  // Before the tokens are compared, which name the node.
  const isNew = await bind(options, pair, signal)
  const update = await options.updateHostPod(pair, signal)
  if (!isNew) {
    // After a binding the cached pod is outdated: the watch triggers the next sync, which writes the status.
    await showStatus(options, { ...pair, ...update }, signal)
  }
}

/** A deleted pod stays until its host pod has terminated, as with a kubelet. */
async function finishDeletion(
  options: PodSyncOptions,
  { host, virtual }: { virtual: KubeObject; host: KubeObject | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { deletionGracePeriodSeconds: graceSeconds, uid } = virtual.metadata
  if (host === undefined) {
    const path = objectPath('pods', virtual.metadata)
    await options.plane.delete(path, { graceSeconds: 0, uid, signal })
    return
  }
  await showStatus(options, { virtual, host }, signal)
  const grace = typeof graceSeconds === 'number' ? { graceSeconds } : {}
  await deleteHostPod(options, { host, ...grace }, signal)
}

/**
 * A host pod that never existed is created, and one that was deleted while no syncer ran, as in a paused plane, is created
 * again, unless a container of it must not run again. If this process had observed the host pod, someone has deleted it on
 * the host. Then the virtual pod has failed.
 */
async function handleMissingHostPod(
  options: PodSyncOptions,
  { virtual, wasObserved }: { virtual: KubeObject; wasObserved: boolean },
  signal: AbortSignal,
): Promise<void> {
  if (isEnded(virtual) || isGated(virtual) || !isPlaced(virtual, options.surroundings)) {
    return
  }
  const isLost = wasObserved && nodeNameOf(virtual) !== undefined
  if (!isLost && canStartAgain(virtual)) {
    return options.createHostPod(virtual, signal)
  }
  // As with a node that has failed, users or controllers have to create a new pod.
  const message = isLost
    ? 'the host pod was deleted on the host cluster'
    : 'the pod was stopped, and a container of it has ended that must not run again'
  const status = recordAt(virtual, 'status')
  const failed = { ...status, phase: 'Failed', reason: 'HostPodRemoved', message }
  await replaceStatus(options, { virtual, status: failed }, signal)
}

/** Binds a pod without a node to the node of its host pod; returns whether it tried. */
async function bind(
  { ensureNode, plane }: PodSyncOptions,
  { host, virtual }: Pair,
  signal: AbortSignal,
): Promise<boolean> {
  const node = nodeNameOf(host)
  if (node === undefined) {
    return false
  }
  const isBound = nodeNameOf(virtual) !== undefined
  if (!isBound || needsNode(virtual)) {
    await ensureNode(node, signal)
  }
  if (isBound) {
    return false
  }
  const { name = '', namespace = '', uid } = virtual.metadata
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, ...(uid === undefined ? {} : { uid }) },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  }
  await unlessChanged(
    plane.create(`${objectPath('pods', virtual.metadata)}/binding`, binding, { signal }),
  )
  return true
}

async function showStatus(
  options: PodSyncOptions,
  { virtual, ...shown }: Pair & Partial<PodUpdate>,
  signal: AbortSignal,
): Promise<void> {
  const status = toVirtualStatus({ virtual, ...shown, nameOf: options.virtualNameOf })
  const isShown = isDeepStrictEqual(status, virtual['status'] ?? {})
  // A plane drops what only the API of a newer host knows.
  const { settled } = options
  if (!isShown && !isDeepStrictEqual(status, settled.get(virtual)?.['status'])) {
    const stored = await replaceStatus(options, { virtual, status }, signal)
    if (stored?.metadata.resourceVersion === virtual.metadata.resourceVersion) {
      settled.set(virtual, { ...virtual, status })
    }
  }
}

async function replaceStatus(
  { plane }: PodSyncOptions,
  { status, virtual }: { virtual: KubeObject; status: Record<string, unknown> },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const path = `${objectPath('pods', virtual.metadata)}/status`
  return await unlessChanged(plane.replace(path, { ...virtual, status }, { signal }))
}

interface HostPodDeletion {
  host: KubeObject
  graceSeconds?: number
  resourceVersion?: string | undefined
}

async function deleteHostPod(
  { host: client }: PodSyncOptions,
  { graceSeconds, host, resourceVersion }: HostPodDeletion,
  signal: AbortSignal,
): Promise<void> {
  const { deletionGracePeriodSeconds, uid } = host.metadata
  const isSooner = graceSeconds !== undefined && graceSeconds < Number(deletionGracePeriodSeconds)
  if (isLeaving(host) && !isSooner) {
    return
  }
  const path = objectPath('pods', host.metadata)
  const options = { uid, resourceVersion, graceSeconds, signal }
  // 409: another pod has that name now, or the pod has changed.
  await unlessStatus([409], client.delete(path, options))
}
