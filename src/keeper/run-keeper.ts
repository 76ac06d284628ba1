import { setTimeout as delay } from 'node:timers/promises'
import { GatewayStates } from '../drivers/kubernetes/gateway/gateway-states.ts'
import { restKeeper } from '../drivers/kubernetes/keeper/rest-keeper.ts'
import { type KubeClient, kubeClientOf } from '../kube/client/client.ts'
import { openHostPeer } from '../kube/host/in-cluster.ts'
import { gatewayOf } from '../manifests/gateway-records.ts'
import { KEEPER_PORT } from '../manifests/ports.ts'
import { objectName } from '../manifests/object-names.ts'
import type { Environment } from '../shared/environment.ts'
import { messageOf } from '../shared/errors.ts'
import { collectionPath } from '../shared/kube/collections.ts'
import { newEvent } from '../shared/kube/new-event.ts'
import { serveHealth } from '../shared/network/serve-health.ts'
import type { KeeperEvent } from './duties/duty.ts'
import { statusBoard } from './duties/status-board.ts'
import { keepPlanes } from './duties/keep-planes.ts'
import { type KeptPlane, KeptPlanes } from './pod/kept-planes.ts'
import { planeFiles } from './pod/plane-files.ts'
import { podDuties } from './pod/pod-duties.ts'
import { ServedMetrics } from './served-metrics.ts'
import { WakeRequests } from './wake/wake-requests.ts'
import { wakesByAddress } from './wake/wakes-by-address.ts'

export interface RunOptions {
  environment: Environment
  log: (line: string) => void
  signal: AbortSignal
}

/** How often the keeper looks which planes need it, in milliseconds. */
const POLL_MS = 500

/**
 * Does the duties of the planes of a namespace that need a keeper, until the signal fires. Without such a plane it scales
 * its own Deployment to 0. @throws {Error} outside of a pod, or when its port is taken; {VplaneError} without its rights.
 */
export async function runKeeper({ environment, log, signal: stop }: RunOptions): Promise<void> {
  await using open = new AsyncDisposableStack()
  const end = new AbortController()
  const signal = AbortSignal.any([stop, end.signal])
  const { namespace, peer } = await openHostPeer(environment, signal)
  const host = open.use(kubeClientOf(peer))
  const planes = new KeptPlanes(host, namespace, log)
  const gateway = gatewayOf(namespace)
  const requests = new WakeRequests(host, gateway)
  const states = new GatewayStates(host, gateway)
  /** By the names of planes. */
  const served = new ServedMetrics()
  let isListed = false
  open.use(
    await serveHealth({
      port: KEEPER_PORT,
      isReady: () => isListed,
      metrics: (query) => served.text(query.get('plane') ?? undefined),
    }),
  )
  const now = () => new Date()
  const reporter = (plane: string) =>
    reporterOf({ host, log, now, signal }, { name: plane, namespace })
  const wakes = wakesByAddress({
    boardOf: ({ name }) => {
      const place = { name: objectName(name, 'keeper-status'), namespace }
      const board = statusBoard(host, 'wakes', place)
      return { read: () => board.read(signal), write: (status) => board.write(status, signal) }
    },
    report: ({ name }, event) => reporter(name)(event),
    now,
  })
  const list = async () => {
    const kept = planes.list()
    served.keepOnly(new Set(kept.map(({ name }) => name)))
    return kept
  }
  const dutiesOf = (settings: KeptPlane) => {
    const place = { name: settings.name, namespace }
    const own = podDuties({
      host,
      namespace,
      settings,
      deployment: (name) => planes.deployment(name),
      files: planeFiles(host, place, now),
      environment,
      report: reporter(settings.name),
      wakes,
      requests,
      states,
      log: (line) => log(`${settings.name}: ${line}`),
      now,
    })
    served.serve(settings.name, own)
    return own
  }
  const keep = async () => {
    await planes.untilListed()
    isListed = true
    while (!signal.aborted) {
      await keepPlanes({ list, dutiesOf, now, log, signal, pollIntervalMs: POLL_MS })
      const resting = restKeeper(host, namespace, signal)
      await resting.catch((error: unknown) => log(`error: ${messageOf(error)}`))
      await delay(POLL_MS, undefined, { signal }).catch(() => {})
    }
  }
  open.defer(() => end.abort())
  await Promise.race([planes.run(signal), requests.run(signal), keep()])
}

/** Creates Events about the settings of a plane: they are an object of the plane alone. */
function reporterOf(
  {
    host,
    log,
    now,
    signal,
  }: { host: KubeClient; now: () => Date } & Omit<RunOptions, 'environment'>,
  { name: plane, namespace }: { name: string; namespace: string },
): (event: KeeperEvent) => void {
  const name = objectName(plane, 'keeper-settings')
  const about = { apiVersion: 'v1', kind: 'ConfigMap', name, namespace }
  return (event) => {
    log(`${plane}: ${event.reason}: ${event.message}`)
    const object = newEvent({ ...event, about, component: 'vplane-keeper' }, now())
    host
      .create(collectionPath('events', namespace), object, { signal })
      .catch((error: unknown) => log(`cannot create an Event: ${messageOf(error)}`))
  }
}
