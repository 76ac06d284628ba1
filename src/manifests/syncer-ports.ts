/** Where a syncer listens in its pod: its template and the syncer itself come from the same vplane. */
export const SYNCER_PORTS = {
  /** Health, and metrics of the syncer. */
  health: 10_251,
  /** Metrics of the plane's pods and nodes. */
  metrics: 10_252,
  /** The first of those where it serves as the kubelets of the plane's nodes. */
  kubelet: 10_300,
} as const
