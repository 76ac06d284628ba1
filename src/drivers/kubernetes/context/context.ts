import type { Duplex } from 'node:stream'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { HostAnswers } from '../../../control-plane/driver/requests.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import type { Finding } from '../../../control-plane/status/finding.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import type { ServiceAccountKeys } from '../../../pki/plane/service-account-keys.ts'
import type { Databases } from '../../../database/dialect/database-dialect.ts'
import type { Tunnels } from '../../../tunnel/tunnels.ts'
import type { ComponentProblem, DiagnosedPlace } from './problem.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from './object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The host cluster as the driver uses it. */
export interface Host {
  readonly context: string
  /** The default namespace for planes. */
  readonly namespace: string
  readonly api: HostApi
  forward(
    target: { namespace: string; pod: string; port: number },
    options: { signal: AbortSignal },
  ): Promise<Duplex>
}

/** An operation on a plane; a plane that was created again under the name has another id. */
export interface PlaneOperation {
  place: PlacedName
  id: Plane['id']
  operation: Operation
}

/** A plane that is checked before anything is created. */
export interface PreflightRequest extends DiagnosedPlace {
  api: HostApi
  spec: PlaneSpec
  /** Keys are placeholders. */
  manifests: readonly KubeObject[]
  /** Whether a missing namespace may be created. */
  createNamespace: boolean
  /** Whether a plane that runs pods may share its namespace with other planes. */
  shareNamespace: boolean
  /** @default everything is checked */
  answers?: HostAnswers | undefined
  signal: AbortSignal
}

/** A plane whose pods do not run. */
export interface DiagnosisRequest extends DiagnosedPlace {
  api: Pick<HostApi, 'create' | 'get' | 'list' | 'stream'>
  signal: AbortSignal
  now: Date
}

/** The dependencies of the driver, which are composed in one place. */
export interface KubernetesContext {
  /** Makes, reads and deletes databases of planes. @default no plane of this process has one */
  databases?: Databases | undefined
  /** Opened on first use. */
  host: () => Promise<Host>
  /** What maintains planes while `host` answers reads from a cache. @default `host` */
  live?: (() => Promise<Host>) | undefined
  /** @default this process runs in the host cluster, and needs none */
  tunnels?: Pick<Tunnels, 'find' | 'ensure' | 'inProcess'> | undefined
  now: () => Date
  /** Creates the keys of ServiceAccount tokens, which takes by far the longest of all keys. @default that of `pki/` */
  makeServiceAccountKeys?: () => Promise<ServiceAccountKeys>
  /** Checks whether the host accepts a plane: changes nothing, and returns all findings together. */
  preflight: (request: PreflightRequest) => Promise<Finding[]>
  /** Returns why pods of a plane cannot run; nothing when they can, or only need time. */
  diagnose: (request: Omit<DiagnosisRequest, 'now'>) => Promise<ComponentProblem[]>
}
