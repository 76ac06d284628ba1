/** The ports of etcd in its pods. `metrics` is HTTP without authentication, and serves only probes and metrics. */
export const ETCD_PORTS = { grpc: 2379, metrics: 2381, gateway: 2382 } as const

/** The port of kube-apiserver in its pods. */
export const API_PORT = 6443

/** The port of a keeper's health and metrics: its template and its program come from the same vplane. */
export const KEEPER_PORT = 10_253

/** The ports of a gateway: its template and its program come from the same vplane. */
export const GATEWAY_PORTS = {
  health: 10_255,
  /** The first of the ports of its planes. */
  planes: 20_000,
} as const

/** The port of the operator's health and metrics. */
export const OPERATOR_PORT = 10_254

/** The ports of a syncer: its template and its program come from the same vplane. */
export const SYNCER_PORTS = {
  health: 10_251,
  /** CoreDNS beside it, UDP and TCP. */
  dns: 1053,
  /** Metrics of the plane's pods and nodes. */
  metrics: 10_252,
  /** The first of the ports where it serves as the kubelets of the plane's nodes. */
  kubelet: 10_300,
} as const
