/** The certificate of a plane for a shared etcd. Another CA than those of the plane issues and renews it. */
export const SHARED_ETCD_CERTIFICATE = 'shared-etcd/client.crt'
