import type { KubeClient } from '../../kube/client/client.ts'
import type { Environment } from '../../shared/environment.ts'
import type { KeeperEvent } from '../duties/duty.ts'
import type { KeeperSettings } from './settings.ts'

/** Where the certificates and keys of a keeper in a pod are. */
export const PKI_FOLDER = '/etc/vplane/pki'

/** What the duties of a keeper in a pod have to work with. */
export interface PodWorld {
  /** The host cluster, with the rights of the keeper's Role. */
  host: KubeClient
  namespace: string
  settings: KeeperSettings
  environment: Environment
  /** Tells people, as an Event of the host. */
  report: (event: KeeperEvent) => void
  /** One line for the log. */
  log: (line: string) => void
  now: () => Date
}
