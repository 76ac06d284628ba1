import { setTimeout as delay } from 'node:timers/promises'
import { ObjectCache } from '../kube/cache/object-cache.ts'
import { toObjectKey } from '../kube/cache/object-key.ts'
import type { KubeClient } from '../kube/client/client.ts'
import {
  type GatewayPlace,
  gatewayPlanesOf,
  placeOfKey,
  planesName,
} from '../manifests/gateway-records.ts'
import { objectName } from '../manifests/object-names.ts'
import { GATEWAY_PORTS } from '../manifests/ports.ts'
import { collectionPath } from '../shared/kube/collections.ts'
import { serveHealth } from '../shared/network/serve-health.ts'
import { Connections } from './connections.ts'
import { PlaneGate } from './plane-gate.ts'
import type { Place } from './reach-plane.ts'
import { WakeRequests } from './wake-requests.ts'

/** The port of the Service of kube-apiserver. */
const SERVICE_PORT = 443

const CHECK_MS = 50

export interface GatewayTimes {
  /** How long a client waits. @default 9 s */
  holdMs?: number
  /** How often a request to wake a plane is sent again, in milliseconds. */
  askMs: number
  /** How long it still accepts connections for planes when it is stopped: nodes send them until they know that it is not ready. */
  leaveMs: number
  /** How long connections that were passed on may then continue. */
  endMs: number
}

const TIMES: GatewayTimes = { askMs: 1000, leaveMs: 20_000, endMs: 30_000 }

export interface GatewayOptions {
  host: Pick<KubeClient, 'patch' | 'watch'>
  gateway: GatewayPlace
  log: (line: string) => void
  signal: AbortSignal
  /** The port of its health. @default 10255 */
  healthPort?: number
  /** Where the API server of the plane with a key is reached. @default its Service */
  upstreamOf?: (key: string) => Place
  /** @default as in a host cluster */
  times?: Partial<GatewayTimes>
}

/**
 * Serves the planes of a gateway that any client wakes until the signal fires, and then lets what it carries end.
 *
 * @throws {VplaneError} `FAILED` without the right to read its planes.
 */
export async function serveGateway({
  gateway,
  host,
  log,
  signal,
  healthPort = GATEWAY_PORTS.health,
  times,
  upstreamOf = (key) => serviceOf(placeOfKey(key, gateway)),
}: GatewayOptions): Promise<void> {
  const { askMs, endMs, holdMs, leaveMs } = { ...TIMES, ...times }
  await using open = new AsyncDisposableStack()
  const end = new AbortController()
  open.defer(() => end.abort())
  const connections = new Connections()
  open.defer(() => connections.destroy())
  const requests = new WakeRequests({ host, gateway, log, intervalMs: askMs, signal: end.signal })
  /** By the keys of planes. */
  const gates = new Map<string, PlaneGate>()
  const gatesDo = (what: (gate: PlaneGate) => void) => gates.forEach((gate) => what(gate))
  open.defer(() => gatesDo((gate) => gate.follow('closed')))
  let isListed = false
  let isLeaving = false
  open.use(
    await serveHealth({
      port: healthPort,
      isReady: () =>
        isListed && !signal.aborted && [...gates.values()].every(({ isReady }) => isReady),
      metrics: () => connections.metrics({ wakeRequests: requests.sent }),
    }),
  )

  const records = { name: planesName(gateway.name), namespace: gateway.namespace }
  const cache = new ObjectCache(host, collectionPath('configmaps', records.namespace), {
    // It may read no other ConfigMap.
    fieldSelector: `metadata.name=${records.name}`,
  })
  const follow = () => {
    const planes = gatewayPlanesOf(cache.get(toObjectKey(records)))
    for (const [name, gate] of gates) {
      const plane = planes.get(name)
      if (plane === undefined || !gate.isOf(plane)) {
        gate.follow('closed')
        gates.delete(name)
      }
    }
    for (const [name, plane] of planes) {
      const options = {
        name,
        plane,
        upstream: upstreamOf(name),
        connections,
        requests,
        log,
        holdMs,
      }
      const gate = gates.get(name) ?? new PlaneGate(options)
      gates.set(name, gate)
      if (isLeaving) {
        gate.leave()
      }
      gate.follow(plane.state)
    }
  }
  cache.onChange(follow)
  const listed = () => {
    isListed = true
  }
  // What it fails with, `run` throws.
  cache.listed.then(listed, () => {})
  const leave = async () => {
    await firing(signal)
    const leavesAt = performance.now() + leaveMs
    while (gates.size > 0 && performance.now() < leavesAt) {
      await delay(CHECK_MS, undefined, { signal: end.signal })
    }
    isLeaving = true
    gatesDo((gate) => gate.leave())
    const endsAt = performance.now() + endMs
    while (!connections.isEmpty && performance.now() < endsAt) {
      await delay(CHECK_MS, undefined, { signal: end.signal })
    }
  }
  await Promise.race([cache.run(end.signal), leave()])
}

function serviceOf({ name, namespace }: { name: string; namespace: string }): Place {
  return { host: `${objectName(name, 'kube-apiserver')}.${namespace}.svc`, port: SERVICE_PORT }
}

async function firing(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true })
    })
  }
}
