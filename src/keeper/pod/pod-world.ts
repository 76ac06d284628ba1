import type { KubeClient } from '../../kube/client/client.ts'
import type { Environment } from '../../shared/environment.ts'
import type { KeeperEvent } from '../duties/duty.ts'
import type { KeeperSettings } from './settings.ts'

/** The folder of certificates and keys in the keeper's pod. */
export const PKI_FOLDER = '/etc/vplane/pki'

/** What the duties of a keeper in a pod need. */
export interface PodWorld {
  /** The host cluster, with the permissions of the keeper's Role. */
  host: KubeClient
  namespace: string
  settings: KeeperSettings
  environment: Environment
  /** Creates an Event on the host. */
  report: (event: KeeperEvent) => void
  log: (line: string) => void
  now: () => Date
}
