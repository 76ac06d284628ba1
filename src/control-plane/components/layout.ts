/**
 * Where things are for the processes of a plane: folders and addresses as the processes see them. A driver decides on
 * them; the flag functions turn them into arguments.
 */
export interface Layout {
  /**
   * `nodeless`: stores and serves, runs no pods. `full`: everything a cluster with nodes needs, for the hosts that
   * tests run on.
   */
  profile: 'nodeless' | 'full'
  /** Folder with certificates and keys, named as `pki/` makes them. */
  pkiFolder: string
  /** Folder with the configuration files of `configurationFiles`. */
  configurationFolder: string
  etcd: {
    name: string
    dataFolder: string
    /** Addresses it binds to, without a scheme: `127.0.0.1:2379`. */
    listenClient: string
    listenPeer: string
    /**
     * URL of its JSON gateway, apart from the client port: etcd serves gRPC with a quarter less CPU on a port without
     * HTTP, and its watches cannot be starved there (etcd-io/etcd#15402). `unixs:` is a socket in its working folder.
     */
    listenHttp: string
    /** Address that others reach its client port at, without a scheme. */
    advertiseClient: string
    advertisePeer: string
    /** `new` until the plane has stored something, `existing` for ever after: an empty volume must not become a plane. */
    initialState: 'new' | 'existing'
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
  }
  controllerManager: {
    bindAddress: string
    port: number
    leaderElect: boolean
  }
}
