import type { Environment } from '../shared/environment.ts'
import { kubeClientOf } from '../kube/client/client.ts'
import { openHostPeer } from '../kube/host/in-cluster.ts'
import { KEEPER_PORT } from '../manifests/ports.ts'
import { objectName } from '../manifests/object-names.ts'
import { messageOf } from '../shared/errors.ts'
import { collectionPath } from '../shared/kube/collections.ts'
import { newEvent } from '../shared/kube/new-event.ts'
import { serveHealth } from '../shared/network/serve-health.ts'
import type { KeeperEvent } from './duties/duty.ts'
import { keepPlane } from './duties/keep-plane.ts'
import { podDuties } from './pod/pod-duties.ts'
import type { KeeperSettings } from './pod/settings.ts'

export interface RunOptions {
  settings: KeeperSettings
  environment: Environment
  log: (line: string) => void
  signal: AbortSignal
}

/** Does a plane's duties until the signal fires. @throws {Error} outside of a pod, or when its port is taken. */
export async function runKeeper({ environment, log, settings, signal }: RunOptions): Promise<void> {
  await using open = new AsyncDisposableStack()
  const { namespace, peer } = await openHostPeer(environment, signal)
  const host = open.use(kubeClientOf(peer))
  const now = () => new Date()
  const name = objectName(settings.plane, 'keeper')
  const about = { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace }
  const report = (event: KeeperEvent) => {
    log(`${event.reason}: ${event.message}`)
    const object = newEvent({ ...event, about, component: 'vplane-keeper' }, now())
    host
      .create(collectionPath('events', namespace), object, { signal })
      .catch((error: unknown) => log(`cannot create an Event: ${messageOf(error)}`))
  }
  const duties = podDuties({ host, namespace, settings, environment, report, log, now })
  open.use(
    await serveHealth({
      port: KEEPER_PORT,
      isReady: () => true,
      metrics: () => duties.map((duty) => duty.metrics?.() ?? '').join(''),
    }),
  )
  await keepPlane(duties, { log, now, signal })
}
