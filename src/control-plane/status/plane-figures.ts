import type { BackupStatus } from './backup-status.ts'
import type { WakeStatus } from './wake-status.ts'
import type { AnyComponentName } from '../plane/plane.ts'

export interface EtcdMemberFigures {
  instance: string
  /** It has a vote, and belongs to a majority. */
  isWorking: boolean
  isLeading: boolean
  /** @default it does not answer */
  database?: {
    sizeBytes: number
    inUseBytes: number
    /** @default unknown (etcd before 3.6) */
    quotaBytes?: number
  }
  /** Its alarms: `NOSPACE`, `CORRUPT`. @default unknown without a majority */
  alarms?: readonly string[]
}

export interface EtcdFigures {
  /** All members of the spec. */
  members: readonly EtcdMemberFigures[]
}

export interface ComponentFigures {
  name: AnyComponentName
  /** Its probes succeed. */
  isUp: boolean
  /** Why it is not up. @default unknown */
  reason?: string
}

export interface PlaneFigures {
  components: readonly ComponentFigures[]
  isApiReady: boolean
  /** @default not measured, such as in a paused plane */
  etcd?: EtcdFigures
  /** Certificates, and keys, which do not expire. */
  certificates: ReadonlyArray<{ name: string; expiresAt?: Date }>
  /** @default the plane has no backups */
  backup?: BackupStatus
  /** @default only contexts wake it */
  wakes?: WakeStatus
  /** @default nothing is under way, and nothing was interrupted */
  operation?: OperationFigures
  /** @default unknown */
  renewal?: RenewalStatus
  /** @default unknown, or the plane has no Secrets with credentials */
  credentials?: CredentialsStatus
}

export interface CredentialsStatus {
  /** The entries whose Secrets cannot be written, and why. */
  failures: ReadonlyArray<{ entry: string; message: string }>
}

export interface OperationFigures {
  kind: string
  since: Date
  isInterrupted: boolean
}

export interface RenewalStatus {
  /** Why it failed. @default it succeeded */
  failure?: string
}
