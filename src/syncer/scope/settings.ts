import type { SyncSpec } from '../../control-plane/spec/fields/host-spec.ts'
import { type Environment, neededVariable } from '../../shared/environment.ts'

/** What a syncer is told at its start. */
export interface SyncerSettings {
  plane: string
  /** URL of the plane's kube-apiserver. */
  server: string
  kubernetesVersion: string
  clusterDomain: string
  /** What pods may have beyond the ordinary. */
  rules: Rules
  /** Name by which kube-apiserver reaches the plane's kubelets, and its metrics API. */
  kubeletHost: string
  /** Name of the Lease by which one of several syncers is chosen. @default there is one syncer */
  leaseName: string | undefined
  /** Where its certificates and keys are. */
  pkiFolder: string
}

/** As `sync` in the plane's spec says. */
export type Rules = Pick<
  SyncSpec,
  | 'classes'
  | 'ingressClasses'
  | 'nodes'
  | 'pods'
  | 'priorityClasses'
  | 'runtimeClasses'
  | 'scheduler'
  | 'storageClasses'
>

/**
 * The settings in the environment of a syncer's pod.
 *
 * @throws {Error} when one is missing: the pod's template and the syncer come from the same vplane.
 */
export function readSettings(environment: Environment): SyncerSettings {
  const value = (name: string) => neededVariable(environment, name)
  return {
    plane: value('VPLANE_PLANE'),
    server: value('VPLANE_SERVER'),
    kubernetesVersion: value('VPLANE_KUBERNETES_VERSION'),
    clusterDomain: value('VPLANE_CLUSTER_DOMAIN'),
    rules: JSON.parse(value('VPLANE_RULES')),
    kubeletHost: value('VPLANE_KUBELET_HOST'),
    leaseName: environment['VPLANE_LEASE'] || undefined,
    pkiFolder: value('VPLANE_PKI_FOLDER'),
  }
}
