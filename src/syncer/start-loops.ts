import { setTimeout as delay } from 'node:timers/promises'
import type { KubeClient } from '../kube/client/client.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'
import { beforeWrites } from './leader/lead.ts'
import { type ClassResource, type ClassSides, onHostClass } from './classes/class-kinds.ts'
import { keyOf, type ObjectKey, toObjectKey } from '../kube/cache/object-key.ts'
import { repeat } from './engine/repeat.ts'
import { SyncLoop, type SyncLoopOptions } from './engine/sync-loop.ts'
import { type EventContext, eventLoop } from './events/event-loop.ts'
import { UsedContents } from './copies/used-contents.ts'
import { Uses } from './copies/uses.ts'
import { internalAddresses, onCordon } from './nodes/virtual-node.ts'
import { textAt } from '../shared/json-fields.ts'
import { type NodeSyncOptions, syncNode } from './nodes/sync-node.ts'
import { nodeNameOf } from './translate/pod-fields.ts'
import { exposureKeyOf, hasNamedPorts } from './network/exposed-services.ts'
import { addressesOf, namesOneOf } from './policies/own-endpoints.ts'
import { removeStrayTokens } from './pods/ensure-tokens.ts'
import type { PodSyncOptions } from './pods/sync-pod.ts'
import { byResource, type SyncedResource } from './scope/resources.ts'
import { isOwnSlice, serviceKeyOf } from './translate/kinds/endpoint-slice.ts'
import type { SyncContext } from './context/sync-context.ts'
import { syncedKinds } from './synced-kinds.ts'
import { virtualOf } from './translate/host-metadata.ts'
import { claimKeyOf } from './translate/kinds/volume.ts'

export interface LoopOptions
  extends
    SyncContext,
    Record<ClassResource, ClassSides>,
    Pick<EventContext, 'events'>,
    Pick<NodeSyncOptions, 'nodeSettings'>,
    Pick<PodSyncOptions, 'ensureNode'> {
  onError: (what: string, error: unknown) => void
}

export interface Loops {
  /** Fulfilled when all loops have stopped after the signal. */
  ended: Promise<unknown>
  metrics: () => string
}

interface Comparison {
  seconds: number
  /** How many changes they made since the start that no watch event had led to. */
  corrections: number
}

/** How often all objects are compared, to renew tokens and to find missed changes. */
const COMPARE_EVERY_MS = 100_000
const COMPARED_POLL_MS = 50

/** Starts to sync all objects of both sides, and then each change, until the signal fires. */
export function startLoops(options: LoopOptions, signal: AbortSignal): Loops {
  const { ingresses, namespaces, pods, scope, services, volumes } = options
  const uses = new Uses(options, (resource, keys) =>
    keys.forEach((key) => loops[resource].add(key)),
  )
  // Must precede the loops' own listeners: they copy an object only once its use is known.
  pods.virtual.onChange((pod, isGone) => uses.recordPod(pod, { isGone }))
  ingresses.virtual.onChange((ingress, isGone) => uses.recordIngress(ingress, { isGone }))
  const recordIngresses = () => ingresses.virtual.forEach((ingress) => uses.recordIngress(ingress))
  const usedContents = {
    configmaps: new UsedContents(options.plane, 'configmaps'),
    secrets: new UsedContents(options.plane, 'secrets'),
  }
  const putOff = (pod: ObjectKey) => loops.pods.putOff(pod)
  const context = { ...options, uses, usedContents, observedPods: new Map(), putOff }
  const comparison: Comparison = { seconds: 0, corrections: 0 }
  const counted = (client: KubeClient) =>
    beforeWrites(client, () => {
      comparison.corrections += 1
    })
  const checking = { ...context, host: counted(context.host), plane: counted(context.plane) }
  const sync = syncedKinds(context)
  const check = syncedKinds(checking)
  const onErrorOf =
    (what: string): SyncLoopOptions['onError'] =>
    (key, error, failures) =>
      options.onError(`${what} "${key}" (${failures})`, error)
  const loopOf = (resource: SyncedResource) =>
    new SyncLoop({
      sides: options[resource],
      keyOfHost: (host) => {
        const identity = virtualOf(scope, host)
        return identity === undefined ? undefined : toObjectKey(identity)
      },
      sync: sync[resource],
      check: check[resource],
      onError: onErrorOf(resource),
    })
  const loops = byResource(loopOf)
  const nodes = new SyncLoop({
    sides: options.nodes,
    keyOfHost: keyOf,
    sync: (key, stop) => syncNode(context, key, stop),
    check: (key, stop) => syncNode(checking, key, stop),
    onError: onErrorOf('nodes'),
  })
  // Changes that affect the translation of other kinds.
  namespaces.onChange(() => loops.networkpolicies.addWhere(() => true))
  services.virtual.onChange((service) =>
    loops.endpointslices.addWhere((slice) => serviceKeyOf(slice) === keyOf(service)),
  )
  if (scope.policies?.network !== undefined) {
    syncExposures(options, loops)
  }
  if (scope.policies !== undefined) {
    pods.host.onChange((pod) => {
      const addresses = addressesOf(pod)
      loops.endpointslices.addWhere(
        (slice) => isOwnSlice(services.virtual, slice) && namesOneOf(slice, addresses),
      )
    })
  }
  onCordon(options.nodes, () => loops.pods.addWhere((pod) => nodeNameOf(pod) === undefined))
  // Recreates a node that was deleted while pods still need it.
  options.nodes.virtual.onChange((node, isGone) => {
    if (isGone) {
      loops.pods.addWhere((pod) => nodeNameOf(pod) === node.metadata.name)
    }
  })
  // The first pod of a node shows the node's address.
  pods.host.onChange((pod) => {
    const key = toObjectKey({ name: nodeNameOf(pod) ?? '' })
    const isShown = internalAddresses(options.nodes.virtual.get(key)).length > 0
    if (!isShown && textAt(pod, 'status', 'hostIP') !== undefined) {
      nodes.add(key)
    }
  })
  onHostClass(options, () => {
    recordIngresses()
    loops.ingresses.addWhere(() => true)
    loops.persistentvolumeclaims.addWhere(() => true)
  })
  volumes.onChange((volume) => loops.persistentvolumeclaims.add(claimKeyOf(volume)))
  for (const volume of volumes.values()) {
    loops.persistentvolumeclaims.add(claimKeyOf(volume))
  }
  pods.virtual.forEach((pod) => uses.recordPod(pod))
  recordIngresses()
  const compared = { ...loops, nodes }
  const all = { ...compared, events: eventLoop(options, { onError: onErrorOf('events') }) }
  return {
    ended: Promise.all([
      ...Object.values(all).map((loop) => loop.run(signal)),
      compareOften(Object.values(compared), comparison, signal),
      repeat(() => removeStrayTokens(options, signal), {
        everyMs: COMPARE_EVERY_MS,
        onError: (error) => options.onError('tokens', error),
        signal,
      }),
    ]),
    metrics: () => loopMetrics(all, comparison),
  }
}

/** Keeps the policies for exposed Services, and what they let users allow. */
function syncExposures(
  { ingresses, networkpolicies, pods, scope, services }: SyncContext,
  loops: Record<'networkpolicies' | 'pods', SyncLoop>,
): void {
  const addIn = (loop: SyncLoop, namespace: string | undefined) =>
    loop.addWhere(({ metadata }) => metadata.namespace === namespace)
  const addService = (service: KubeObject) => {
    const key = exposureKeyOf(scope, service)
    if (key !== undefined) {
      loops.networkpolicies.add(key)
    }
    addIn(loops.networkpolicies, virtualOf(scope, service)?.namespace)
  }
  const addAll = () => [...services.host.values()].forEach(addService)
  addAll()
  services.host.onChange(addService)
  ingresses.host.onChange(addAll)
  pods.host.onChange((pod) => {
    if (hasNamedPorts(pod)) {
      addIn(loops.networkpolicies, virtualOf(scope, pod)?.namespace)
    }
  })
  networkpolicies.virtual.onChange(({ metadata }) => addIn(loops.pods, metadata.namespace))
}

function loopMetrics(
  loops: Readonly<Record<string, SyncLoop>>,
  { corrections, seconds }: Comparison,
): string {
  const ofLoops = Object.entries(loops).flatMap(([kind, { counts, depth }]) =>
    Object.entries({ queue_depth: depth, ...counts }).map(
      ([name, value]) => `vplane_syncer_${name}{kind="${kind}"} ${value}`,
    ),
  )
  const lines = [
    // Prometheus requires all samples of one name together.
    ...ofLoops.toSorted(),
    `vplane_syncer_comparison_seconds ${seconds}`,
    `vplane_syncer_mended_total ${corrections}`,
  ]
  return `${lines.join('\n')}\n`
}

async function compareOften(
  loops: readonly SyncLoop[],
  comparison: Comparison,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now()
    loops.forEach((loop) => loop.compareAll())
    const until = AbortSignal.any([signal, AbortSignal.timeout(COMPARE_EVERY_MS)])
    while (!until.aborted && !loops.every(({ isCompared }) => isCompared)) {
      await delay(COMPARED_POLL_MS, undefined, { signal: until }).catch(() => {})
    }
    comparison.seconds = (performance.now() - startedAt) / 1000
    const rest = COMPARE_EVERY_MS - (performance.now() - startedAt)
    await delay(Math.max(0, rest), undefined, { signal }).catch(() => {})
  }
}
