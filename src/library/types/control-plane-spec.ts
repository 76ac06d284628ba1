/** How one component of a control plane runs. */
export interface ComponentOptions {
  /** Flags by name, without the leading dashes; an array repeats the flag. They override defaults. @default none */
  extraArgs?: Record<string, string | string[]> | undefined
  /** GOGC of the process: a lower value uses less memory and more CPU. @default a measured value */
  goGc?: number | undefined
}

/** A server of databases that exists. */
export interface DatabaseOptions {
  host: string
  /** @default 5432 for PostgreSQL, 3306 for MySQL and MariaDB */
  port?: number
  /** The database that is created. @default a new name */
  database?: string
  /** PEM file with the CAs of the server, on this machine. @default the CAs of the machine */
  caFile?: string
  /** On this machine: YAML file with `username` and `password` of an account that may create databases and accounts. */
  credentialsFile?: string
  /** In a host namespace: Secret there with the same keys, and the CAs of the server in `ca.crt`. */
  credentialsSecret?: string
}

/** What kine serves: one of them. */
export interface KineOptions {
  sqlite?: Record<string, never>
  postgres?: DatabaseOptions
  mysql?: DatabaseOptions
}

/** An etcd that exists and that others use too, with files in PEM: with `root` or with `client`. */
export interface SharedEtcdOptions {
  /** `https://etcd.example.com:2379`, of one or several members. */
  endpoints: string[]
  /** The CAs of the certificates of its members. Only with the local driver. */
  caFile?: string
  /** With these, vplane makes a user, a role and a certificate for the plane. */
  root?: {
    /** Certificate with the common name "root". Only with the local driver, as all files. */
    certificateFile?: string
    keyFile?: string
    /** The CA whose clients the etcd trusts. */
    clientCaFile?: string
    clientCaKeyFile?: string
    /**
     * Secret in the namespace of the plane with `tls.crt`, `tls.key`, `ca.crt`, `client-ca.crt` and `client-ca.key`. Only with
     * the kubernetes driver.
     */
    credentialsSecret?: string
  }
  /** A certificate of a user that you have made, with a role for `prefix`. */
  client?: {
    certificateFile?: string
    keyFile?: string
    /** Secret in the namespace of the plane with `tls.crt`, `tls.key` and `ca.crt`. Only with the kubernetes driver. */
    credentialsSecret?: string
    prefix: string
  }
}

/** The spec of a control plane, as in a file for `vplane create -f`. */
export interface ControlPlaneSpec {
  /** Kubernetes version: `1.36` or `1.36.3`. @default the first one that `vplane version` prints */
  version?: string | undefined
  /** etcd without fsync: faster, but the data is lost when the machine crashes. @default true */
  ephemeral?: boolean | undefined
  /** What stores the data: one of them. @default etcd */
  store?: { etcd?: { shared?: SharedEtcdOptions }; kine?: KineOptions } | undefined
  /** `lean` disables the workload API groups (apps, batch, autoscaling, …) to save memory. @default `all` */
  apiGroups?: 'all' | 'lean' | undefined
  /** Range of the cluster IPs of Services. @default `10.96.0.0/16` */
  serviceRange?: string | undefined
  /** DNS domain of the plane. @default `cluster.local` */
  clusterDomain?: string | undefined
  /** Issuer of the tokens of its ServiceAccounts. @default kubernetes.default.svc of its domain, with https */
  serviceAccountIssuer?: string | undefined
  /** More host names and addresses for the certificate of kube-apiserver. @default none */
  extraSans?: string[] | undefined
  /** Keys of CAs and certificates. @default ECDSA P-256 */
  pki?: { algorithm?: 'ecdsa' | 'rsa' | undefined } | undefined
  /** JWT authenticators, as in the AuthenticationConfiguration of kube-apiserver. @default none */
  authentication?: { jwt?: Record<string, unknown>[] | undefined } | undefined
  /** Feature gates of all components. @default none */
  featureGates?: Record<string, boolean> | undefined
  /** An audit.k8s.io/v1 Policy: what kube-apiserver logs of requests. @default nothing */
  audit?: { policy: Record<string, unknown> } | undefined
  /** Whether Secrets are encrypted in etcd. @default they are not */
  encryption?:
    | { secrets: boolean; provider?: 'secretbox' | 'aesgcm' | 'aescbc' | undefined }
    | undefined
  /** `prefix` is the beginning of all keys in etcd. @default '/registry' */
  etcd?: (ComponentOptions & { prefix?: string | undefined }) | undefined
  /** @default nothing special */
  apiServer?: ComponentOptions | undefined
  /** @default nothing special */
  controllerManager?: ComponentOptions | undefined
}
