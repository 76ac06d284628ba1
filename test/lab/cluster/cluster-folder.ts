import { join } from 'node:path'

/** Where the parts of one cluster are. */
export interface ClusterFolder {
  root: string
  pki: string
  configuration: string
  etcdData: string
  /** The administrator's kubeconfig. */
  kubeconfig: string
  logOf: (process: string) => string
  recordOf: (process: string) => string
  node: (name: string) => NodeFolder
  /** What all nodes see as `/var/lib/shared-path`. */
  shared: string
}

/** Where the parts of one node are. */
export interface NodeFolder {
  root: string
  pki: string
  configuration: string
  cni: string
  /** What the node sees as `/var/lib` and `/var/log`. */
  lib: string
  log: string
}

/** The folder of a cluster. */
export function clusterFolder(clusters: string, name: string): ClusterFolder {
  const root = join(clusters, name)
  return {
    root,
    pki: join(root, 'pki'),
    configuration: join(root, 'configuration'),
    etcdData: join(root, 'etcd'),
    kubeconfig: join(root, 'admin.kubeconfig'),
    logOf: (process) => join(root, 'logs', `${process}.log`),
    recordOf: (process) => join(root, 'processes', `${process}.json`),
    node: (node) => nodeFolder(join(root, 'nodes', node)),
    shared: join(root, 'shared'),
  }
}

function nodeFolder(root: string): NodeFolder {
  return {
    root,
    pki: join(root, 'pki'),
    configuration: join(root, 'configuration'),
    cni: join(root, 'cni'),
    lib: join(root, 'lib'),
    log: join(root, 'log'),
  }
}
