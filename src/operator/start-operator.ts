import { randomUUID } from 'node:crypto'
import { composeOperator } from '../compose/operator/compose-operator.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import { parseObjectKey, toObjectKey } from '../kube/cache/object-key.ts'
import { openHostCluster } from '../kube/host/open-host-cluster.ts'
import { claimLease } from '../kube/lease/claim-lease.ts'
import { ServedMetrics } from '../keeper/served-metrics.ts'
import { LEASE_TIMES } from '../kube/lease/lease-object.ts'
import { OPERATOR_PORT } from '../manifests/ports.ts'
import { type Environment, neededVariable } from '../shared/environment.ts'
import { serveHealth } from '../shared/network/serve-health.ts'
import { silentUi } from '../shared/ui.ts'
import { keepDeclaredPlanes } from './duties/operator-duties.ts'
import { createdBoard } from './duties/created-board.ts'
import { operatorEvents } from './duties/operator-events.ts'
import { OperatorGateway } from './gateway/operator-gateway.ts'
import { planeOpener } from './nested/plane-opener.ts'
import { runNested } from './nested/run-nested.ts'
import { planeSnapshots } from './duties/plane-snapshots.ts'
import { runOperator } from './run-operator.ts'
import { changesOf } from './seen/changes-of.ts'
import { PlaneObjects } from './seen/plane-objects.ts'
import { seenApi } from './seen/seen-api.ts'

export interface StartOptions {
  environment: Environment
  log: (line: string) => void
  signal: AbortSignal
}

/** The name of the Lease of the one operator of several that works. */
const LEASE = 'vplane-operator'

/** How long a new plane may take to serve before its duties begin in any case, in milliseconds. */
const NEW_MS = 120_000

/** How long each part of a change of a plane may take, in milliseconds. */
const TIMEOUT_MS = 600_000

/** Waits until it is the only operator of its namespace, and creates planes until the signal fires. */
export async function startOperator({ environment, log, signal }: StartOptions): Promise<void> {
  await using open = new AsyncDisposableStack()
  // Only the service account of the pod counts.
  const cluster = open.use(await openHostCluster({ files: [], environment }))
  const { api: host, namespace } = cluster
  const pod = neededVariable(environment, 'VPLANE_POD')
  const watched = environment['VPLANE_NAMESPACE'] ?? ''
  const served = new ServedMetrics()
  const health = { port: OPERATOR_PORT, isReady: () => true, metrics: () => served.text() }
  open.use(await serveHealth(health))
  const claim = {
    metadata: { name: LEASE, namespace },
    holder: `${pod}_${randomUUID()}`,
    isDead: (holder: string) => holder.startsWith(`${pod}_`),
    purpose: { what: 'being the operator' },
    now: () => new Date(),
    times: LEASE_TIMES,
  }
  const held = open.use(await claimLease(host, claim, signal))
  log('leads')
  const warn = (text: string) => log(`warning: ${text}`)
  const ui = { ...silentUi, warn, note: warn }
  const objects = new PlaneObjects(host, {
    namespace: watched === '' ? undefined : watched,
    now: () => new Date(),
  })
  const reads = seenApi(host, objects)
  const { driver, snapshotsFor, ...composition } = composeOperator(cluster, {
    environment,
    seen: reads,
    ui,
  })
  const about = operatorEvents(host, log)
  const reportOn = ({
    name,
    namespace: place = '',
  }: {
    name: string
    namespace?: string | undefined
  }) => about({ name, namespace: place })
  const duties = {
    ...composition,
    driver,
    environment,
    host,
    log,
    reads,
    reportOn,
    served,
    snapshotsFor,
  }
  // When one part fails, the others end, too.
  const end = new AbortController()
  open.defer(() => end.abort())
  const stop = AbortSignal.any([signal, held.lost, end.signal])
  const nested = { host, now: composition.now, log, openPlane: planeOpener(composition, driver) }
  const planes = runOperator(
    {
      ...composition,
      drivers: [driver],
      driver,
      host,
      objects,
      changesOf: (place) => changesOf(objects, place),
      log,
      namespace: watched === '' ? undefined : watched,
      timeoutMs: TIMEOUT_MS,
      contexts: { remove: async () => undefined },
      tunnels: { stop: async () => false },
      snapshotsOf: (place, stop) => planeSnapshots(duties, place, stop),
      reportOn,
      report: about({ name: LEASE, namespace, kind: 'Deployment' }),
      beside: async ({ checkNow, memories }, stop) => {
        const planes = () =>
          [...memories.values()].flatMap(({ hasServed = false, plane }) =>
            plane !== undefined && (hasServed || !isNew(plane)) ? plane : [],
          )
        const gateway = new OperatorGateway({
          host,
          namespace,
          watched: watched === '' ? undefined : watched,
          declared: () =>
            [...memories].map(([key, { plane }]) => ({ place: parseObjectKey(key), plane })),
          checkNow: (place) => checkNow(toObjectKey(place)),
          boardOf: (place) => {
            const board = createdBoard(host, 'wakes', place)
            return { read: () => board.read(stop), write: (wakes) => board.write(wakes, stop) }
          },
          report: (place, event) => reportOn(place)(event),
          log,
          now: composition.now,
        })
        await Promise.all([
          gateway.run(stop),
          keepDeclaredPlanes({ ...duties, gateway }, planes, stop),
        ])
      },
    },
    stop,
  )
  // A NestedControlPlane has a namespace of its own, which an operator of one namespace cannot create.
  await Promise.all([planes, ...(watched === '' ? [runNested(nested, stop)] : [])])
  held.lost.throwIfAborted()
}

/** Whether a plane is so new that it may not have served yet. One that has paused itself has served. */
function isNew({ createdAt, idleSince }: Plane): boolean {
  return idleSince === undefined && Date.now() - createdAt.getTime() < NEW_MS
}
