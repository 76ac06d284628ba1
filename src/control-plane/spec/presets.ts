import type { HostPreset, Workload } from './fields/host-spec.ts'

export interface Preset {
  storageSize: string
  etcd: Workload
  /** Only with a store that kine serves; its number of pods is always 1. */
  kine: Workload
  apiServer: Workload
  controllerManager: Workload
  /** Only with `sync`. */
  sync: Workload
  /** Only if the plane has its own scheduler. */
  scheduler: Workload
  /** Only if the plane needs one, such as for backups. */
  keeper: Workload
}

/**
 * Requests exceed what an idle plane uses, and limits are for load; CPU has no limit, which would only slow down the
 * start. An idle, empty plane of Kubernetes 1.36 used 20 + 160 + 31 MiB (working sets of its pods, as the kubelet
 * counts) and 7 + 14 + 5 millicores, including probes every second.
 */
export const PRESETS: Record<HostPreset, Preset> = {
  nano: {
    storageSize: '2Gi',
    etcd: workload(1, { cpu: '20m', memory: '32Mi', limit: '256Mi' }),
    kine: workload(1, { cpu: '20m', memory: '48Mi', limit: '256Mi' }),
    apiServer: workload(1, { cpu: '50m', memory: '192Mi', limit: '768Mi' }),
    controllerManager: workload(1, { cpu: '10m', memory: '48Mi', limit: '256Mi' }),
    sync: workload(1, { cpu: '20m', memory: '96Mi', limit: '384Mi' }),
    scheduler: workload(1, { cpu: '10m', memory: '48Mi', limit: '256Mi' }),
    keeper: workload(1, { cpu: '5m', memory: '96Mi', limit: '384Mi' }),
  },
  small: {
    storageSize: '5Gi',
    etcd: workload(1, { cpu: '100m', memory: '128Mi', limit: '512Mi' }),
    kine: workload(1, { cpu: '100m', memory: '128Mi', limit: '512Mi' }),
    apiServer: workload(1, { cpu: '200m', memory: '384Mi', limit: '1536Mi' }),
    controllerManager: workload(1, { cpu: '50m', memory: '96Mi', limit: '512Mi' }),
    sync: workload(1, { cpu: '50m', memory: '128Mi', limit: '512Mi' }),
    scheduler: workload(1, { cpu: '50m', memory: '96Mi', limit: '512Mi' }),
    keeper: workload(1, { cpu: '5m', memory: '96Mi', limit: '384Mi' }),
  },
  ha: {
    storageSize: '10Gi',
    etcd: workload(3, { cpu: '100m', memory: '256Mi', limit: '1Gi' }),
    kine: workload(1, { cpu: '100m', memory: '256Mi', limit: '1Gi' }),
    apiServer: workload(2, { cpu: '250m', memory: '512Mi', limit: '2Gi' }),
    controllerManager: workload(2, { cpu: '50m', memory: '128Mi', limit: '512Mi' }),
    sync: workload(2, { cpu: '50m', memory: '128Mi', limit: '512Mi' }),
    scheduler: workload(2, { cpu: '50m', memory: '128Mi', limit: '512Mi' }),
    keeper: workload(1, { cpu: '5m', memory: '96Mi', limit: '384Mi' }),
  },
}

function workload(
  replicas: number,
  { cpu, limit, memory }: { cpu: string; memory: string; limit: string },
): Workload {
  return { replicas, resources: { requests: { cpu, memory }, limits: { memory: limit } } }
}
