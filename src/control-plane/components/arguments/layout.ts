/** The default name of an etcd member's configuration file. */
export const ETCD_FILE = 'etcd.json'

/** Folders and addresses as the processes of a plane see them; chosen by a driver. */
export interface Layout {
  /** `synced`: its pods run on a host cluster. `full`: with nodes, such as the hosts of tests. */
  profile: 'nodeless' | 'synced' | 'full'
  pkiFolder: string
  configurationFolder: string
  etcd: {
    name: string
    configurationFile?: string
    /** All members at the start of the plane, including this one. @default only this one */
    members?: ReadonlyArray<{ name: string; advertisePeer: string }>
    dataFolder: string
    /** Without a scheme: `127.0.0.1:2379`. */
    listenClient: string
    listenPeer: string
    /**
     * URL of its JSON gateway, separate from the client port: etcd serves gRPC with a quarter less CPU on a port without
     * HTTP, and watches do not starve there (etcd-io/etcd#15402). `unixs:` is a socket in its working folder.
     */
    listenHttp: string
    /** URL that serves health and metrics without client certificates. @default none */
    listenMetrics?: string
    /** Maximum size of its database, in bytes. @default 2 GiB */
    quotaBytes?: number
    /** Without a scheme, as other processes connect to it. */
    advertiseClient: string
    advertisePeer: string
    /** `new` until the plane has stored data, then always `existing`: an empty volume must not become a plane. */
    initialState: 'new' | 'existing'
    /** The members whose cluster it joins without data, including itself. @default it has data */
    joins?: Layout['etcd']['members'] | undefined
    /** Unique for each plane, so that members of different planes never connect. */
    token: string
  }
  /** @default the plane has etcd */
  kine?: {
    /** Without a scheme: `127.0.0.1:2379`. */
    listen: string
    /** Of sqlite. */
    file: string
    /** PEM file with the CAs of a database. @default those of the machine */
    caFile?: string | undefined
    /** What sqlite does without the file: `rw` fails, `rwc` creates it. @default it exists before */
    mode?: string
  }
  apiServer: {
    bindAddress: string
    advertiseAddress: string
    port: number
    url: string
    endpointReconciler: 'none' | 'lease'
    etcdServers: readonly string[]
    /** How it authenticates at an etcd that is shared, and where its keys are there. @default the plane has its own store */
    sharedEtcd?: { caFile: string; certificateFile: string; keyFile: string; prefix: string }
    /** Others may listen on its port, too, while it starts and stops. @default false */
    sharesPort?: boolean
    /** How long it still serves after it has announced its shutdown. @default 0 */
    shutdownDelaySeconds?: number
  }
  controllerManager: ControllerLayout
  /** @default the plane does not have its own scheduler */
  scheduler?: ControllerLayout
}

/** The addresses of a controller; if several run, one of them is the leader. */
export interface ControllerLayout {
  bindAddress: string
  port: number
  leaderElect: boolean
}
