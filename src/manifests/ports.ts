/**
 * Where etcd serves in its pods, by what it speaks there: `metrics` is HTTP without proof of who asks, and has its probes
 * and its figures alone.
 */
export const ETCD_PORTS = { grpc: 2379, metrics: 2381, gateway: 2382 } as const

/** Where a keeper serves its health and metrics in its pod: its template and the keeper itself come from the same vplane. */
export const KEEPER_PORT = 10_253

/** Where a syncer listens in its pod: its template and the syncer itself come from the same vplane. */
export const SYNCER_PORTS = {
  /** Health, and metrics of the syncer. */
  health: 10_251,
  /** Metrics of the plane's pods and nodes. */
  metrics: 10_252,
  /** The first of those where it serves as the kubelets of the plane's nodes. */
  kubelet: 10_300,
} as const
