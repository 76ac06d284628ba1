import { isDeepStrictEqual } from 'node:util'
import type { SchedulerChoice } from '../../control-plane/spec/fields/host-spec.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { type ObjectCache, unlessChanged } from '../engine/object-cache.ts'
import { type ObjectKey, parseObjectKey } from '../scope/object-key.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { hostKeyOf } from '../translate/host-name.ts'
import { isOfEarlier, virtualOf } from '../translate/virtual-of.ts'
import type { RefusedContainer } from './change-host-pod.ts'
import { isEnded, isGated, isPlaced, needsNode, nodeNameOf } from '../translate/pod-fields.ts'
import { toVirtualStatus } from './pod-status.ts'
import { recordAt } from '../../shared/json-fields.ts'

export interface PodSyncOptions {
  scope: SyncScope
  plane: Pick<KubeClient, 'create' | 'replace' | 'delete'>
  host: Pick<KubeClient, 'delete'>
  pods: Record<'virtual' | 'host', Pick<ObjectCache, 'get'>>
  /** The virtual name of what a name on the host stands for, if it is of this plane. */
  virtualNameOf: (hostName: string) => string | undefined
  /** By the keys of pods, the UID of those whose host pod this process has seen. */
  observedPods: Map<ObjectKey, string | undefined>
  /** Makes sure that the plane has a node of this name, which pods can be bound to. */
  ensureNode: (name: string, signal: AbortSignal) => Promise<void>
  createHostPod: (virtual: KubeObject, signal: AbortSignal) => Promise<void>
  surroundings: { scheduler?: SchedulerChoice | undefined }
  /** Whether a host pod has to be made anew, since it is or waits where it is not to be. */
  isMisplaced: (virtual: KubeObject, host: KubeObject) => boolean
  /** Brings what may change of a pod that runs to its host pod; returns the containers that the host will not have. */
  updateHostPod: (
    virtual: KubeObject,
    host: KubeObject,
    signal: AbortSignal,
  ) => Promise<RefusedContainer[]>
}

/**
 * Makes the host pod what the virtual one asks for, and the virtual one what the host pod has become. Level-based: it
 * looks at both as they are and does what is next.
 */
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
  // A pod that was deleted and made again under its name: the former one has to go first.
  if (known !== undefined && isOfEarlier(known, virtual)) {
    return deleteHostPod(options, { host: known }, signal)
  }
  if (isLeaving(virtual)) {
    return letGo(options, { virtual, host: known }, signal)
  }
  const { uid } = virtual.metadata
  if (known === undefined) {
    return withoutHostPod(options, { virtual, wasObserved: observedPods.get(key) === uid }, signal)
  }
  if (options.isMisplaced(virtual, known)) {
    // It is not lost when it is gone.
    observedPods.delete(key)
    const { resourceVersion } = known.metadata
    return deleteHostPod(options, { host: known, resourceVersion }, signal)
  }
  observedPods.set(key, uid)
  const refused = await options.updateHostPod(virtual, known, signal)
  if (!(await bind(options, { virtual, host: known }, signal))) {
    // Bound just now: it is not any more what is known of it. That comes by the watch, and its status with it.
    await showStatus(options, { virtual, host: known, refused }, signal)
  }
}

interface Pair {
  virtual: KubeObject
  host: KubeObject
}

/** The user deletes it: it stays until the host pod has ended, as it would with a kubelet. */
async function letGo(
  options: PodSyncOptions,
  { host, virtual }: { virtual: KubeObject; host: KubeObject | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { deletionGracePeriodSeconds: graceSeconds, uid } = virtual.metadata
  if (host === undefined) {
    await options.plane.delete(objectPath('pods', virtual.metadata), {
      graceSeconds: 0,
      uid,
      signal,
    })
    return
  }
  await showStatus(options, { virtual, host }, signal)
  const grace = typeof graceSeconds === 'number' ? { graceSeconds } : {}
  await deleteHostPod(options, { host, ...grace }, signal)
}

/**
 * It was never made, or somebody on the host has removed it. One that went while no syncer was there, as when the plane
 * was paused, is made again: to the plane its node was away for a while.
 */
async function withoutHostPod(
  options: PodSyncOptions,
  { virtual, wasObserved }: { virtual: KubeObject; wasObserved: boolean },
  signal: AbortSignal,
): Promise<void> {
  if (isEnded(virtual) || isGated(virtual) || !isPlaced(virtual, options.surroundings)) {
    return
  }
  if (!wasObserved || nodeNameOf(virtual) === undefined) {
    return options.createHostPod(virtual, signal)
  }
  // What ran is lost, as on a node that died: whoever wants it again makes a new pod.
  const message = 'the host pod was removed on the host cluster'
  const status = recordAt(virtual, 'status')
  const failed = { ...status, phase: 'Failed', reason: 'HostPodRemoved', message }
  await replaceStatus(options, { virtual, status: failed }, signal)
}

/** Binds a pod to the node of its host pod, when that has one and the pod has none; returns whether it tried. */
async function bind(options: PodSyncOptions, pair: Pair, signal: AbortSignal): Promise<boolean> {
  const { ensureNode, plane } = options
  const { host, virtual } = pair
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
  { host, refused = [], virtual }: Pair & { refused?: RefusedContainer[] },
  signal: AbortSignal,
): Promise<void> {
  const status = toVirtualStatus({ virtual, host, refused, nameOf: options.virtualNameOf })
  // A pod that has no node has no status but that it waits.
  if (!isDeepStrictEqual(status, virtual['status'] ?? {})) {
    await replaceStatus(options, { virtual, status }, signal)
  }
}

async function replaceStatus(
  { plane }: PodSyncOptions,
  { status, virtual }: { virtual: KubeObject; status: Record<string, unknown> },
  signal: AbortSignal,
): Promise<void> {
  const path = `${objectPath('pods', virtual.metadata)}/status`
  await unlessChanged(plane.replace(path, { ...virtual, status }, { signal }))
}

interface HostPodDeletion {
  host: KubeObject
  graceSeconds?: number
  /** Only as it was then. */
  resourceVersion?: string | undefined
}

async function deleteHostPod(
  { host: client }: PodSyncOptions,
  { graceSeconds, host, resourceVersion }: HostPodDeletion,
  signal: AbortSignal,
): Promise<void> {
  const { deletionGracePeriodSeconds, uid } = host.metadata
  const isTerminating = isLeaving(host)
  const isSooner = graceSeconds !== undefined && graceSeconds < Number(deletionGracePeriodSeconds)
  if (isTerminating && !isSooner) {
    return
  }
  const path = objectPath('pods', host.metadata)
  const only = { uid, resourceVersion, graceSeconds, signal }
  // 409: another pod has that name by now, or it has changed meanwhile.
  await unlessStatus([409], client.delete(path, only))
}
