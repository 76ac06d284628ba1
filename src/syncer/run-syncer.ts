import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { createKubeClient, type KubeClient, kubeClientOf } from '../kube/client/client.ts'
import { openHostPeer } from '../kube/host/in-cluster.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'
import { objectLabels } from '../manifests/object-names.ts'
import { SYNCER_PORTS } from '../manifests/ports.ts'
import type { Environment } from '../shared/environment.ts'
import { messageOf } from '../shared/errors.ts'
import { serveHealth } from '../shared/network/serve-health.ts'
import { lead } from './leader/lead.ts'
import { hostUsage } from './metrics/host-usage.ts'
import { allCachesOf, openCaches } from './open-caches.ts'
import { byResource } from './scope/resources.ts'
import { servePlane } from './serve-plane.ts'
import type { SyncerSettings } from './scope/settings.ts'
import { startWork } from './start-work.ts'
import { readPlaneId, type SyncScope } from './scope/sync-scope.ts'
import { readSurroundings } from './context/sync-context.ts'
import { SyncerPki } from './tls/syncer-pki.ts'
import { otherPlaneIdOf } from './translate/host-metadata.ts'

const RETRY_MS = 500

export interface RunOptions {
  settings: SyncerSettings
  environment: Environment
  log: (line: string) => void
  signal: AbortSignal
}

/**
 * Syncs a plane with its host namespace until the signal fires, after all caches on both sides are filled. If a plane has
 * several syncers, one of them syncs, and all of them serve as its kubelets.
 *
 * @throws {Error} when the host has objects of an earlier state of this plane, another syncer becomes the leader, or one of
 * the API servers denies access.
 */
export async function runSyncer({ environment, log, settings, signal }: RunOptions): Promise<void> {
  await using open = new AsyncDisposableStack()
  const state = { isReady: false, isLeading: false, metrics: () => '' }
  open.use(
    await serveHealth({
      port: SYNCER_PORTS.health,
      isReady: () => state.isReady,
      metrics: () => `vplane_syncer_leading ${Number(state.isLeading)}\n${state.metrics()}`,
    }),
  )
  const { namespace, peer } = await openHostPeer(environment, signal)
  // A field that an older host does not know would be lost in silence.
  const host = open.use(kubeClientOf(peer, { fieldValidation: 'Strict' }))
  const onError = (what: string, error: unknown) => log(`${what}: ${messageOf(error)}`)
  const pki = await SyncerPki.open(settings.pkiFolder)
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const renewal = {
    onRenewed: () => log('loaded renewed certificates'),
    onError: (error: unknown) => onError('renewed certificates', error),
  }
  const renewing = pki.run(renewal, until)
  open.defer(async () => {
    stop.abort()
    await renewing
  })
  const plane = open.use(
    createKubeClient({ server: settings.server, credentials: pki.credentials() }),
  )
  const planeId = await readPlaneIdWhenReady(plane, { log, signal })
  const scope: SyncScope = {
    plane: settings.plane,
    planeId,
    host: { namespace },
    labels: settings.rules.labels,
    annotations: settings.rules.annotations,
    policies: settings.rules.policies,
    hostServices: settings.rules.hostServices,
  }
  const now = () => new Date()
  const caches = openCaches(scope, {
    host,
    plane,
    now: now(),
    rules: settings.rules,
    onError,
  })
  const all = allCachesOf(caches)
  const running = all.map((cache) => cache.run(signal))
  await Promise.race([Promise.all(all.map(({ listed }) => listed)), ...running])
  const hostCaches = Object.values(byResource((resource) => caches[resource].host))
  const hostObjects = hostCaches.flatMap((cache) => [...cache.values()])
  refuseEarlierState(scope, hostObjects)
  const surroundings = await readSurroundings(host, { scope, settings, signal })
  const readUsage = hostUsage({ ...caches, host, scope })
  const known = { caches, pki, readUsage, scope, settings, onError }
  const isLeading = () => state.isLeading
  open.use(await servePlane({ ...known, peer, host, plane, isLeading }))
  state.isReady = true
  const { leaseName: name } = settings
  const labels = objectLabels(scope.plane)
  // The host deletes the Lease together with the plane's endpoint.
  const ownerReferences = [surroundings.owner]
  const lease = name === undefined ? undefined : { name, namespace, labels, ownerReferences }
  const working = lead(
    { host, plane, lease, pod: hostname(), now, log },
    (leading) => {
      log(`syncs plane "${scope.plane}" with namespace "${namespace}"`)
      const work = startWork(leading, { ...known, surroundings })
      state.isLeading = true
      state.metrics = work.metrics
      return work.ended
    },
    until,
  )
  // Finishes writes that have begun, then releases the Lease.
  open.defer(async () => {
    stop.abort()
    await Promise.allSettled([working])
  })
  await Promise.race([working, ...running])
}

/** Waits for the plane: it may still be starting, and the syncer's RBAC rules may come a moment later. */
async function readPlaneIdWhenReady(
  plane: Pick<KubeClient, 'get'>,
  { log, signal }: Pick<RunOptions, 'log' | 'signal'>,
): Promise<string> {
  let reported = ''
  for (;;) {
    try {
      const id = await readPlaneId(plane, signal)
      if (id !== undefined) {
        return id
      }
    } catch (error) {
      signal.throwIfAborted()
      if (messageOf(error) !== reported) {
        reported = messageOf(error)
        log(`waiting for the plane: ${reported}`)
      }
    }
    await delay(RETRY_MS, undefined, { signal })
  }
}

/** Objects that an emptied plane does not have would look deleted, and the syncer would delete their pods and data. */
function refuseEarlierState(scope: SyncScope, objects: readonly KubeObject[]): void {
  const other = objects.find((object) => otherPlaneIdOf(scope, object) !== undefined)
  if (other !== undefined) {
    throw new Error(
      `${other.kind} "${other.metadata.name}" belongs to an earlier state of plane "${scope.plane}": was the plane emptied or restored? Nothing is deleted; delete the objects with the label vplane.dev/synced-namespace when you no longer need them`,
    )
  }
}
