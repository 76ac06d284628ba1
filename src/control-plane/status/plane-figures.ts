import type { BackupStatus } from './backup-status.ts'
import type { AnyComponentName } from '../plane/plane.ts'

/** How a member of etcd works. */
export interface EtcdMemberFigures {
  /** Its pod or its process, as people know it. */
  instance: string
  /** It has a vote, and is one of a majority. */
  isWorking: boolean
  isLeading: boolean
  /** @default it does not answer */
  database?: {
    sizeBytes: number
    /** How much of that holds something. */
    inUseBytes: number
    /** How large it may become. @default it does not say (etcd before 3.6) */
    quotaBytes?: number
  }
  /** Kinds of the alarms that it has raised: `NOSPACE`, `CORRUPT`. @default no majority can be asked */
  alarms?: readonly string[]
}

export interface EtcdFigures {
  /** All that there are to be. */
  members: readonly EtcdMemberFigures[]
}

export interface ComponentFigures {
  name: AnyComponentName
  /** It works, as its probes say. */
  isUp: boolean
  /** Why it does not. @default nobody says */
  reason?: string
}

/** How a plane and its components work, as far as it is known. */
export interface PlaneFigures {
  components: readonly ComponentFigures[]
  /** Whether its API says that it is ready. */
  isApiReady: boolean
  /** @default etcd was not asked, as in a plane that rests */
  etcd?: EtcdFigures
  /** Certificates, and keys, which have no end. */
  certificates: ReadonlyArray<{ name: string; expiresAt?: Date }>
  /** @default it is not backed up */
  backup?: BackupStatus
  /** @default it is not known */
  renewal?: RenewalStatus
}

/** How the renewal of certificates stands. */
export interface RenewalStatus {
  /** Why the last try came to nothing. @default it did not fail */
  failure?: string
}
