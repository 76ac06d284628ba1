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
import { leadingMetric } from './engine/loop-metrics.ts'
import { hostUsage } from './metrics/host-usage.ts'
import { allCachesOf, openCaches } from './open-caches.ts'
import { byResource } from './scope/resources.ts'
import { servePlane } from './serve-plane.ts'
import type { SyncerSettings } from './scope/settings.ts'
import { startWork } from './start-work.ts'
import { readPlaneId, type SyncScope } from './scope/sync-scope.ts'
import { surroundingsOf } from './context/surroundings.ts'
import { SyncerPki } from './tls/syncer-pki.ts'
import { otherPlaneIdOf } from './translate/virtual-of.ts'

const RETRY_MS = 500

export interface RunOptions {
  settings: SyncerSettings
  environment: Environment
  log: (line: string) => void
  signal: AbortSignal
}

/**
 * Keeps host objects and virtual objects equal until the signal fires. Nothing is changed before everything on both sides
 * is known. Of several syncers of a plane one does so; all serve as its kubelets.
 *
 * @throws {Error} when the host has objects of an earlier life of this plane, another syncer leads from now on, or one of
 * the API servers says no for good.
 */
export async function runSyncer({ environment, log, settings, signal }: RunOptions): Promise<void> {
  await using open = new AsyncDisposableStack()
  const state = { isReady: false, isLeading: false, metrics: () => '' }
  open.use(
    await serveHealth({
      port: SYNCER_PORTS.health,
      isReady: () => state.isReady,
      metrics: () => leadingMetric(state.isLeading) + state.metrics(),
    }),
  )
  const { namespace, peer } = await openHostPeer(environment, signal)
  const host = open.use(kubeClientOf(peer))
  const onError = (what: string, error: unknown) => log(`${what}: ${messageOf(error)}`)
  const pki = await SyncerPki.open(settings.pkiFolder)
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const renewing = pki.run(
    {
      onRenewed: () => log('took up renewed certificates'),
      onError: (error) => onError('renewed certificates', error),
    },
    until,
  )
  open.defer(async () => {
    stop.abort()
    await renewing
  })
  const plane = open.use(
    createKubeClient({ server: settings.server, credentials: pki.credentials() }),
  )
  const planeId = await planeIdOf(plane, { log, signal })
  const scope: SyncScope = { plane: settings.plane, planeId, host: { namespace } }
  const now = () => new Date()
  const caches = openCaches(scope, {
    host,
    plane,
    now: now(),
    readsNodes: settings.rules.nodes ?? false,
    readsClasses: settings.rules.classes ?? false,
  })
  const all = allCachesOf(caches)
  const running = all.map((cache) => cache.run(signal))
  await Promise.race([Promise.all(all.map(({ listed }) => listed)), ...running])
  refuseOtherLife(
    scope,
    Object.values(byResource((resource) => [...caches[resource].host.values()])).flat(),
  )
  const surroundings = await surroundingsOf(host, { scope, settings, signal })
  const readUsage = hostUsage({ ...caches, host, scope })
  const known = { caches, pki, readUsage, scope, settings, onError }
  const isLeading = () => state.isLeading
  open.use(await servePlane({ ...known, peer, host, plane, isLeading }))
  state.isReady = true
  const { leaseName: name } = settings
  // A part of the plane, which goes with its endpoint at the latest.
  const ownerReferences = [surroundings.owner]
  const labels = objectLabels(scope.plane)
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
  // Whatever ends it: what is being written comes to its end, and another one may lead.
  open.defer(async () => {
    stop.abort()
    await Promise.allSettled([working])
  })
  await Promise.race([working, ...running])
}

/** The plane may be starting, and its rules for us may come a moment later. */
async function planeIdOf(
  plane: Pick<KubeClient, 'get'>,
  { log, signal }: Pick<RunOptions, 'log' | 'signal'>,
): Promise<string> {
  let said = ''
  for (;;) {
    try {
      const id = await readPlaneId(plane, signal)
      if (id !== undefined) {
        return id
      }
    } catch (error) {
      signal.throwIfAborted()
      if (messageOf(error) !== said) {
        said = messageOf(error)
        log(`waiting for the plane: ${said}`)
      }
    }
    await delay(RETRY_MS, undefined, { signal })
  }
}

/** What an emptied plane does not have would look deleted: its pods and their data would go. */
function refuseOtherLife(scope: SyncScope, objects: readonly KubeObject[]): void {
  const other = objects.find((object) => otherPlaneIdOf(scope, object) !== undefined)
  if (other !== undefined) {
    throw new Error(
      `${other.kind} "${other.metadata.name}" is of an earlier life of plane "${scope.plane}": was the plane emptied or restored? Nothing is deleted; remove what is labelled vplane.dev/synced-namespace when it is not needed`,
    )
  }
}
