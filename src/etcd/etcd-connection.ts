import type { Duplex } from 'node:stream'

/** On the certificate of every member, wherever it is dialled. */
export const SERVER_NAME = 'localhost'

/**
 * What a member of etcd speaks: JSON at its gateway (etcd.io/docs/v3.6/dev-guide/api_grpc_gateway), and gRPC, by which much
 * data comes at a fraction of the cost.
 */
export type EtcdSpeech = 'gateway' | 'grpc'

/** A way to one etcd member, which both drivers have: sockets and ports of this machine, ports of its pod. */
export interface EtcdConnection {
  /** The member, as errors name it: `etcd of "dev"`. */
  what: string
  /** One byte stream to where it speaks so. */
  dial: (signal: AbortSignal, speech: EtcdSpeech) => Promise<Duplex>
  /** CA of etcd, PEM. */
  certificateAuthority: string
  /** A client certificate of that CA, PEM. */
  certificate: string
  /** Its private key, PEM. */
  key: string
}

/**
 * The file names of what an `EtcdConnection` proves itself with, in a plane's PKI: not those of kube-apiserver, which a
 * plane that is fenced does not have.
 */
export const ETCD_CLIENT_FILES = {
  certificateAuthority: 'etcd/ca.crt',
  certificate: 'etcd/healthcheck-client.crt',
  key: 'etcd/healthcheck-client.key',
} as const
