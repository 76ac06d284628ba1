import type { HostSpec, SyncSpec } from '../../control-plane/spec/fields/host-spec.ts'
import { type Environment, neededVariable } from '../../shared/environment.ts'

export interface SyncerSettings {
  plane: string
  server: string
  kubernetesVersion: string
  clusterDomain: string
  rules: Rules
  /** Host name by which kube-apiserver reaches the plane's kubelets and its metrics API. */
  kubeletHost: string
  /** `host:port` that a NetworkPolicy of the plane denies the syncer. @default its store has no such policy */
  deniedAddress: string | undefined
  /** Name of the Lease by which several syncers elect a leader. @default there is one syncer */
  leaseName: string | undefined
  pkiFolder: string
}

/** The part of the plane's spec that the syncer applies. */
export type Rules = Pick<
  SyncSpec,
  | 'annotations'
  | 'classes'
  | 'hostServices'
  | 'ingressClasses'
  | 'kinds'
  | 'labels'
  | 'nodes'
  | 'pods'
  | 'priorityClasses'
  | 'runtimeClasses'
  | 'scheduler'
  | 'storageClasses'
> &
  Pick<HostSpec, 'policies'>

/** @throws {Error} when one is missing, which its pod template, from the same version of vplane, prevents. */
export function readSettings(environment: Environment): SyncerSettings {
  const value = (name: string) => neededVariable(environment, name)
  return {
    plane: value('VPLANE_PLANE'),
    server: value('VPLANE_SERVER'),
    kubernetesVersion: value('VPLANE_KUBERNETES_VERSION'),
    clusterDomain: value('VPLANE_CLUSTER_DOMAIN'),
    rules: JSON.parse(value('VPLANE_RULES')),
    kubeletHost: value('VPLANE_KUBELET_HOST'),
    deniedAddress: environment['VPLANE_DENIED_ADDRESS'] || undefined,
    leaseName: environment['VPLANE_LEASE'] || undefined,
    pkiFolder: value('VPLANE_PKI_FOLDER'),
  }
}
