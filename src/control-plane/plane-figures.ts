import type { BackupStatus } from './backup/backup-status.ts'
import type { AnyComponentName, Plane } from './plane.ts'
import type { PlaneCertificate } from './plane-certificates.ts'

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
  certificates: ReadonlyArray<Pick<PlaneCertificate, 'name' | 'expiresAt'>>
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

/** What a driver measures of its planes. */
export interface PlaneMetrics {
  /**
   * How the members of etcd work; one that does not run or answer is a figure, and no failure.
   *
   * @throws {VplaneError} `UNREACHABLE` when the host cluster cannot be asked.
   */
  etcd(plane: Plane, signal: AbortSignal): Promise<EtcdFigures>

  /**
   * What a component says of its own work, in the text format of Prometheus; of several, one that is ready.
   *
   * @throws {VplaneError} `FAILED` when none runs, `UNREACHABLE` when it cannot be asked.
   */
  ofComponent(plane: Plane, component: MeasuredComponent, signal: AbortSignal): Promise<string>
}

/** The components that a driver has its own way to: that to kube-apiserver is the plane's API. */
export type MeasuredComponent = Exclude<AnyComponentName, 'kube-apiserver'>
