/** The configuration file of an etcd member whose layout names no other. */
export const ETCD_FILE = 'etcd.json'

/**
 * Where things are for the processes of a plane: folders and addresses as the processes see them. A driver decides on
 * them; the flag functions turn them into arguments.
 */
export interface Layout {
  /**
   * `nodeless`: stores and serves, runs no pods. `synced`: its pods run on a host cluster. `full`: everything a cluster
   * with nodes needs, for the hosts that tests run on.
   */
  profile: 'nodeless' | 'synced' | 'full'
  /** Folder with certificates and keys, named as `pki/` makes them. */
  pkiFolder: string
  /** Folder with the configuration files of `configurationFiles`. */
  configurationFolder: string
  etcd: {
    name: string
    /** Name of its file in the configuration folder. @default 'etcd.json' */
    configurationFile?: string
    /** All members at the start of the plane, this one included. @default this one alone */
    members?: ReadonlyArray<{ name: string; advertisePeer: string }>
    dataFolder: string
    /** Addresses it binds to, without a scheme: `127.0.0.1:2379`. */
    listenClient: string
    listenPeer: string
    /**
     * URL of its JSON gateway, apart from the client port: etcd serves gRPC with a quarter less CPU on a port without
     * HTTP, and its watches cannot be starved there (etcd-io/etcd#15402). `unixs:` is a socket in its working folder.
     */
    listenHttp: string
    /** URL that serves health and metrics to those without a certificate. @default none */
    listenMetrics?: string
    /** How large its database may grow, in bytes. @default 2 GiB */
    quotaBytes?: number
    /** Address that others reach its client port at, without a scheme. */
    advertiseClient: string
    advertisePeer: string
    /** `new` until the plane has stored something, `existing` for ever after: an empty volume must not become a plane. */
    initialState: 'new' | 'existing'
    /** Those whose data it is to take, itself among them, as it has none. @default it has data */
    joins?: Layout['etcd']['members'] | undefined
    /** Tells this plane's members from any other's. */
    token: string
  }
  apiServer: {
    bindAddress: string
    advertiseAddress: string
    port: number
    /** Where components of the plane reach it. */
    url: string
    endpointReconciler: 'none' | 'lease'
    /** URLs of all etcd members. */
    etcdServers: readonly string[]
    /** How long it goes on serving while clients learn that it will stop. @default 0 */
    shutdownDelaySeconds?: number
  }
  controllerManager: ControllerLayout
  /** @default it has no scheduler of its own */
  scheduler?: ControllerLayout
}

/** Where a process is that only works on what the API holds: one of several at a time, if there are several. */
export interface ControllerLayout {
  bindAddress: string
  port: number
  leaderElect: boolean
}
