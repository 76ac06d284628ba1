import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts'
import { unlessStatus } from '../../src/kube/kube-error.ts'
import { recordAt, recordsAt, textAt } from '../../src/shared/json-fields.ts'
import { collectionPath, objectPath } from '../../src/shared/kube/collections.ts'
import { isLeaving, type KubeObject } from '../../src/shared/kube/kube-object.ts'
import { ObjectCache, unlessChanged } from '../../src/kube/cache/object-cache.ts'
import { repeat } from '../../src/syncer/engine/repeat.ts'
import { SyncLoop } from '../../src/syncer/engine/sync-loop.ts'
import { keyOf, type ObjectKey, parseObjectKey } from '../../src/kube/cache/object-key.ts'
import type { StaticAccess } from '../static-kubeconfig.ts'

/** The label of its host pods. */
const COPIED = 'vplane.dev/bench-copy'
const HEARTBEAT_MS = 20_000
const LEASE_SECONDS = 40

export interface CopierOptions {
  plane: StaticAccess
  host: StaticAccess
  hostNamespace: string
  /** The namespace of the plane whose pods it copies. */
  namespace: string
  /** Names of the host's nodes, which the plane gets. */
  nodes: readonly string[]
}

interface Sides {
  plane: KubeClient
  host: KubeClient
  virtualPods: ObjectCache
  hostPods: ObjectCache
  hostNamespace: string
}

/**
 * A syncer of pods that writes what must be written and checks nothing, for pods that run no program: the floor for all
 * that copy pods. It writes a token and its Secret, the host pod, the binding, each status that differs, and each Event.
 * It has the syncer's caches and queue, and runs in this process.
 */
export async function startMinimalCopier(options: CopierOptions): Promise<AsyncDisposable> {
  const { host: hostAccess, hostNamespace, namespace, nodes, plane: planeAccess } = options
  await using stack = new AsyncDisposableStack()
  const stop = new AbortController()
  const { signal } = stop
  const plane = stack.use(createKubeClient(planeAccess))
  const host = stack.use(createKubeClient(hostAccess))
  const virtualPods = new ObjectCache(plane, collectionPath('pods', namespace))
  const hostPods = new ObjectCache(host, collectionPath('pods', hostNamespace), {
    labelSelector: COPIED,
  })
  const hostEvents = new ObjectCache(host, collectionPath('events', hostNamespace))
  const sides: Sides = { plane, host, virtualPods, hostPods, hostNamespace }
  const virtualKeyOf = ({ metadata }: KubeObject): ObjectKey =>
    `${namespace}/${metadata.name ?? ''}`
  const sync = (key: ObjectKey) => copyPod(sides, key)
  const copyEvent = (key: ObjectKey) => showEvent(sides, hostEvents.get(key), namespace)
  const onError = (key: ObjectKey, error: unknown) =>
    process.stderr.write(`copier: ${key}: ${String(error)}\n`)
  const caches = [virtualPods, hostPods, hostEvents]
  const running = caches.map((cache) => cache.run(signal).catch(() => {}))
  await Promise.all(caches.map(({ listed }) => listed))
  const pods = new SyncLoop({
    sides: { virtual: virtualPods, host: hostPods },
    keyOfHost: virtualKeyOf,
    sync,
    check: sync,
    onError,
  })
  const events = new SyncLoop({
    sides: { host: hostEvents },
    keyOfHost: keyOf,
    sync: copyEvent,
    check: copyEvent,
    onError,
    workers: 2,
  })
  await Promise.all(nodes.map((name) => createNode(plane, name)))
  const heartbeats = repeat(async () => void (await Promise.all(nodes.map(renewOf(plane)))), {
    everyMs: HEARTBEAT_MS,
    onError: (error) => onError('/heartbeats', error),
    signal,
  })
  const loops = [pods.run(signal), events.run(signal), heartbeats]
  stack.defer(async () => {
    stop.abort()
    await Promise.allSettled([...running, ...loops])
  })
  const started = stack.move()
  return { [Symbol.asyncDispose]: () => started.disposeAsync() }
}

async function copyPod(sides: Sides, key: ObjectKey): Promise<void> {
  const { host, hostNamespace, hostPods, plane, virtualPods } = sides
  const virtual = virtualPods.get(key)
  const { name } = parseObjectKey(key)
  const copy = hostPods.get(`${hostNamespace}/${name}`)
  if (virtual === undefined || isLeaving(virtual)) {
    if (copy !== undefined && !isLeaving(copy)) {
      await host.delete(objectPath('pods', copy.metadata))
    } else if (copy === undefined && virtual !== undefined) {
      await plane.delete(objectPath('pods', virtual.metadata), { graceSeconds: 0 })
    }
  } else if (copy === undefined) {
    await createCopy(sides, virtual)
  } else {
    await showPod(plane, { virtual, copy })
  }
}

async function createCopy(
  { host, hostNamespace, plane }: Sides,
  virtual: KubeObject,
): Promise<void> {
  const { name = '', namespace = '' } = virtual.metadata
  const account = objectPath('serviceaccounts', { name: 'default', namespace })
  const answer = await plane.create(`${account}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: {
      audiences: [],
      expirationSeconds: 3607,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid: virtual.metadata.uid },
    },
  })
  const token = textAt(answer, 'status', 'token') ?? ''
  const metadata = { name, namespace: hostNamespace, labels: { [COPIED]: 'true' } }
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    data: { token: Buffer.from(token).toString('base64') },
  }
  await unlessStatus([409], host.create(collectionPath('secrets', hostNamespace), secret))
  const spec = recordAt(virtual, 'spec') ?? {}
  const volumes = recordsAt(virtual, 'spec', 'volumes').map(({ name: volume }) => ({
    name: volume,
    secret: { secretName: name },
  }))
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { ...spec, volumes, automountServiceAccountToken: false, enableServiceLinks: false },
  }
  await unlessStatus([409], host.create(collectionPath('pods', hostNamespace), pod))
}

async function showPod(
  plane: KubeClient,
  { copy, virtual }: { copy: KubeObject; virtual: KubeObject },
): Promise<void> {
  const node = textAt(copy, 'spec', 'nodeName')
  const path = objectPath('pods', virtual.metadata)
  if (node !== undefined && textAt(virtual, 'spec', 'nodeName') === undefined) {
    const { name = '', namespace = '' } = virtual.metadata
    const target = { apiVersion: 'v1', kind: 'Node', name: node }
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target }
    await unlessChanged(plane.create(`${path}/binding`, binding))
  } else if (node !== undefined && !isShown(virtual, copy)) {
    const status = recordAt(copy, 'status') ?? {}
    await unlessChanged(plane.replace(`${path}/status`, { ...virtual, status }))
  }
}

/** These change with everything that these pods do. */
function isShown(virtual: KubeObject, copy: KubeObject): boolean {
  return (
    textAt(virtual, 'status', 'phase') === textAt(copy, 'status', 'phase') &&
    recordsAt(virtual, 'status', 'conditions').length ===
      recordsAt(copy, 'status', 'conditions').length
  )
}

async function showEvent(
  { hostPods, plane, virtualPods }: Sides,
  event: KubeObject | undefined,
  namespace: string,
): Promise<void> {
  const name = textAt(event, 'involvedObject', 'name') ?? ''
  const pod = virtualPods.get(`${namespace}/${name}`)
  if (event === undefined || pod === undefined || hostPods.size === 0) {
    return
  }
  const { metadata: _, ...fields } = event
  const shown = {
    ...fields,
    metadata: { name: `${name}.${event.metadata.uid}`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid: pod.metadata.uid },
  }
  await unlessStatus([409], plane.create(collectionPath('events', namespace), shown))
}

async function createNode(plane: KubeClient, name: string): Promise<void> {
  const now = new Date().toISOString()
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now }
  const capacity = { cpu: '1000', memory: '1Ti', pods: '1000' }
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: { conditions: [ready], capacity, allocatable: capacity },
  }
  await unlessStatus([409], plane.create(collectionPath('nodes'), node))
  await renewOf(plane)(name)
}

function renewOf(plane: KubeClient): (name: string) => Promise<unknown> {
  return (name) => {
    const metadata = { name, namespace: 'kube-node-lease' }
    const renewTime = new Date().toISOString().replace('Z', '000Z')
    return plane.apply(objectPath('leases', metadata), {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      spec: { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime },
    })
  }
}
