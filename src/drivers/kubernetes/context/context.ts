import type { Duplex } from 'node:stream'
import type { Finding } from '../../../control-plane/status/finding.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import type { ServiceAccountKeys } from '../../../pki/plane/service-account-keys.ts'
import type { Tunnels } from '../../../tunnel/tunnels.ts'
import type { ComponentProblem, DiagnosedPlace } from './problem.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from './object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The host cluster as the driver uses it. */
export interface Host {
  /** Name of its context in the kubeconfig. */
  readonly context: string
  /** Where planes go that name no namespace. */
  readonly namespace: string
  readonly api: HostApi
  /** One TCP stream to a port of a pod. */
  forward(
    target: { namespace: string; pod: string; port: number },
    options: { signal: AbortSignal },
  ): Promise<Duplex>
}

/** What is looked at before anything is made. */
export interface PreflightRequest extends PlacedName {
  api: HostApi
  /** Context of the host cluster, for the commands of hints. */
  hostContext?: string | undefined
  spec: PlaneSpec
  /** Everything that will be applied; keys are placeholders. */
  manifests: readonly KubeObject[]
  /** Whether the namespace may be made when it is missing. */
  createNamespace: boolean
  /** Whether a plane that runs pods may be there beside others. */
  shareNamespace: boolean
  signal: AbortSignal
}

/** A plane whose pods do not run, and what is asked about it. */
export interface DiagnosisRequest extends DiagnosedPlace {
  api: Pick<HostApi, 'create' | 'get' | 'list' | 'stream'>
  signal: AbortSignal
  now: Date
}

/** What the driver stands on; composed in one place. */
export interface KubernetesContext {
  /** The host cluster, opened when it is first needed. */
  host: () => Promise<Host>
  tunnels: Pick<Tunnels, 'find' | 'ensure' | 'inProcess'>
  now: () => Date
  /** Makes the keys of ServiceAccount tokens, which takes longest by far of all keys. @default those of `pki/` */
  makeServiceAccountKeys?: () => Promise<ServiceAccountKeys>
  /** Whether the host takes a plane: touches nothing, and finds all at once. */
  preflight: (request: PreflightRequest) => Promise<Finding[]>
  /** Why pods of a plane cannot run; nothing when they can, or only need time. */
  diagnose: (request: Omit<DiagnosisRequest, 'now'>) => Promise<ComponentProblem[]>
}
