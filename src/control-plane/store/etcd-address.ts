const DEFAULT_PORT = 2379

/** Where a member of a shared etcd listens, of `https://etcd.example.com:2379`. */
export function etcdAddress(endpoint: string): { host: string; port: number } {
  const { hostname, port } = new URL(endpoint)
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || DEFAULT_PORT) }
}
