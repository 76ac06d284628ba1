import type { KeeperEvent } from '../../keeper/duties/duty.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { messageOf } from '../../shared/errors.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import { newEvent } from '../../shared/kube/new-event.ts'

const KINDS = { ControlPlane: 'vplane.dev/v1beta1', Deployment: 'apps/v1' } as const

interface Subject {
  name: string
  namespace: string
  /** @default 'ControlPlane' */
  kind?: keyof typeof KINDS
}

/** Reports Events about ControlPlanes and the operator itself; one that cannot be created is logged. */
export function operatorEvents(
  host: Pick<KubeClient, 'create'>,
  log: (line: string) => void,
): (subject: Subject) => (event: KeeperEvent) => void {
  return ({ kind = 'ControlPlane', ...place }) =>
    (event) => {
      log(`${place.namespace}/${place.name}: ${event.reason}: ${event.message}`)
      const about = { apiVersion: KINDS[kind], kind, ...place }
      const object = newEvent({ ...event, about, component: 'vplane-operator' }, new Date())
      host
        .create(collectionPath('events', place.namespace), object)
        .catch((error: unknown) => log(`cannot create an Event: ${messageOf(error)}`))
    }
}
