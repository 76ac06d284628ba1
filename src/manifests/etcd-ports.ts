/** Where etcd serves in its pods, by what it speaks there. */
export const ETCD_PORTS = { grpc: 2379, gateway: 2382 } as const
