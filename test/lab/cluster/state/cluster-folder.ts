import { join } from 'node:path'

export type ClusterFolder = ReturnType<typeof clusterFolder>
export type NodeFolder = ReturnType<typeof nodeFolder>

/** Where the parts of one cluster are. */
export function clusterFolder(clusters: string, name: string) {
  const root = join(clusters, name)
  return {
    root,
    pki: join(root, 'pki'),
    configuration: join(root, 'configuration'),
    etcdData: join(root, 'etcd'),
    /** The administrator's. */
    kubeconfig: join(root, 'admin.kubeconfig'),
    logOf: (process: string) => join(root, 'logs', `${process}.log`),
    recordOf: (process: string) => join(root, 'processes', `${process}.json`),
    node: (node: string) => nodeFolder(join(root, 'nodes', node)),
    /** What all nodes see as `/var/lib/shared-path`. */
    shared: join(root, 'shared'),
  }
}

function nodeFolder(root: string) {
  return {
    root,
    pki: join(root, 'pki'),
    configuration: join(root, 'configuration'),
    cni: join(root, 'cni'),
    /** What the node sees as `/var/lib` and `/var/log`. */
    lib: join(root, 'lib'),
    log: join(root, 'log'),
  }
}
