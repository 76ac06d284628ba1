import { EventEmitter, on } from 'node:events'
import { Duplex } from 'node:stream'
import type { PodsApi } from '../../../../src/drivers/kubernetes/dial/known-pods.ts'
import type { WatchEvent, KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import {
  podDialer,
  type PodDialerOptions,
} from '../../../../src/drivers/kubernetes/dial/pod-dialer.ts'

/** What a pod of a fake host is and does. */
export interface FakePod {
  isReady?: boolean
  isRunning?: boolean
  isEnding?: boolean
  /** What forwarding to it does. @default a stream */
  forward?: (signal: AbortSignal) => Promise<Duplex>
}

/** A host cluster in memory, as far as dialling the pods of a plane goes. */
export interface FakeHost {
  /** Every request, in words: `list`, `watch`, `get`, `forward a`. */
  asked: string[]
  /** Adds a pod or replaces it; a watch tells. */
  put(name: string, pod?: FakePod): void
  remove(name: string): void
  /** Whether the endpoint of the plane is there. */
  hasEndpoint: boolean
  /** Whether lists get no answer. */
  isSilent: boolean
  /** What the next lists and watches fail with. */
  failures: { list?: unknown; watch?: unknown }
  /** Watches that are open. */
  watches: number
  dialer(options?: Partial<PodDialerOptions>): ReturnType<typeof podDialer>
}

/** A host with these pods. */
export function fakeHost(given: Record<string, FakePod> = {}): FakeHost {
  const pods = new Map(Object.entries(given))
  const changes = new EventEmitter()
  const host: FakeHost = {
    asked: [],
    hasEndpoint: true,
    failures: {},
    isSilent: false,
    watches: 0,
    put: (name, pod = { isReady: true }) => {
      pods.set(name, pod)
      changes.emit('event', { type: 'MODIFIED', object: toObject(name, pod) })
    },
    remove: (name) => {
      pods.delete(name)
      changes.emit('event', { type: 'DELETED', object: toObject(name, {}) })
    },
    dialer: (options = {}) =>
      podDialer({
        name: 'dev',
        namespace: 'team-a',
        api,
        forward: async ({ pod }, { signal }) => {
          host.asked.push(`forward ${pod}`)
          const { forward } = pods.get(pod) ?? {}
          return forward === undefined ? openStream() : forward(signal)
        },
        ...options,
      }),
  }
  const api: PodsApi = {
    get: async () => {
      host.asked.push('get')
      return host.hasEndpoint ? { apiVersion: 'v1', kind: 'Service', metadata: {} } : undefined
    },
    list: async () => {
      host.asked.push('list')
      if (host.failures.list !== undefined) {
        throw host.failures.list
      }
      if (host.isSilent) {
        await new Promise(() => {})
      }
      return { items: [...pods].map(([name, pod]) => toObject(name, pod)), resourceVersion: '7' }
    },
    watch: (_, { signal }) => watchPods(host, changes, signal),
  }
  return host
}

async function* watchPods(
  host: FakeHost,
  changes: EventEmitter,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent> {
  host.asked.push('watch')
  host.watches += 1
  try {
    if (host.failures.watch !== undefined) {
      throw host.failures.watch
    }
    for await (const [event] of on(changes, 'event', { signal })) {
      yield event
    }
  } finally {
    host.watches -= 1
  }
}

/** A stream that is open and says nothing. */
function openStream(): Duplex {
  return new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
}

function toObject(name: string, { isEnding, isReady, isRunning = isReady }: FakePod): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: `uid-${name}`,
      ...(isEnding === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    status: {
      phase: isRunning === true ? 'Running' : 'Pending',
      conditions: [{ type: 'Ready', status: isReady === true ? 'True' : 'False' }],
      containerStatuses: [{ state: isRunning === true ? { running: {} } : { waiting: {} } }],
    },
  }
}
