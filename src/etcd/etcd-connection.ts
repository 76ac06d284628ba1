import type { Agent } from 'node:http'
import type { Duplex } from 'node:stream'

/** A name in the certificate of every member, regardless of its address. */
export const SERVER_NAME = 'localhost'

/**
 * The protocols of an etcd member: JSON at its gateway (etcd.io/docs/v3.6/dev-guide/api_grpc_gateway), and gRPC, which costs
 * a fraction of that for much data.
 */
type EtcdProtocol = 'gateway' | 'grpc'

/** How to connect to one etcd member: by sockets and ports of this machine, or by ports of its pod. */
export interface EtcdConnection {
  /** The member, in errors: `etcd of "dev"`. */
  what: string
  /** kine has only gRPC, and so has an etcd with users. @default true */
  hasGateway?: boolean
  /** kine has the life that was asked for instead of leases. @default true */
  hasLeases?: boolean
  /** The user of the connection may read only the keys below it. @default all keys */
  prefix?: string
  dial: (signal: AbortSignal, protocol: EtcdProtocol) => Promise<Duplex>
  /** Keeps connections to the gateway open. @default each request has its own */
  agent?: Agent
  /** What the certificate of the member must name. @default a name that every member of a plane has */
  serverName?: string
  /** CA of etcd, PEM. */
  certificateAuthority: string
  /** A client certificate of that CA, PEM. */
  certificate: string
  /** Its private key, PEM. */
  key: string
}

/** A plane's PKI files for an `EtcdConnection`: not those of kube-apiserver, which a fenced plane does not have. */
export const ETCD_CLIENT_FILES = {
  certificateAuthority: 'etcd/ca.crt',
  certificate: 'etcd/healthcheck-client.crt',
  key: 'etcd/healthcheck-client.key',
} as const
