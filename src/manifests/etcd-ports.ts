/**
 * Where etcd serves in its pods, by what it speaks there: `metrics` is HTTP without proof of who asks, and has its probes
 * and its figures alone.
 */
export const ETCD_PORTS = { grpc: 2379, metrics: 2381, gateway: 2382 } as const
