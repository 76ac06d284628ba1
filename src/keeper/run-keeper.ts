import type { Environment } from '../shared/environment.ts'
import { kubeClientOf } from '../kube/client/client.ts'
import { openHostPeer } from '../kube/host/host-peer.ts'
import { KEEPER_PORT } from '../manifests/ports.ts'
import { objectName } from '../manifests/object-names.ts'
import { messageOf } from '../shared/errors.ts'
import { serveHealth } from '../shared/network/serve-health.ts'
import type { KeeperEvent } from './duties/duty.ts'
import { keepPlane } from './duties/keep-plane.ts'
import { podDuties } from './pod/pod-duties.ts'
import { postEvent } from './pod/post-event.ts'
import type { KeeperSettings } from './pod/settings.ts'

export interface RunOptions {
  settings: KeeperSettings
  environment: Environment
  /** One line for the log. */
  log: (line: string) => void
  signal: AbortSignal
}

/**
 * PlaneObserver after one plane from a pod beside it until the signal fires.
 *
 * @throws {Error} when this process runs in no pod, or its port is taken.
 */
export async function runKeeper({ environment, log, settings, signal }: RunOptions): Promise<void> {
  await using open = new AsyncDisposableStack()
  const { namespace, peer } = await openHostPeer(environment, signal)
  const host = open.use(kubeClientOf(peer))
  const now = () => new Date()
  const name = objectName(settings.plane, 'keeper')
  const involved = { apiVersion: 'apps/v1', kind: 'Deployment', name }
  const report = (event: KeeperEvent) => {
    log(`${event.reason}: ${event.message}`)
    postEvent(host, event, { involved, namespace, now: now(), signal }).catch((error: unknown) =>
      log(`an event is lost: ${messageOf(error)}`),
    )
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
