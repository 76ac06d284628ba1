import { POD_RANGE } from '../cluster/state/address-plan.ts'

export interface KubeProxySettings {
  node: string
  kubeconfig: string
}

/** The configuration of a node's kube-proxy, as JSON (which is YAML). */
export function kubeProxyConfig({ kubeconfig, node }: KubeProxySettings): string {
  const config = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    hostnameOverride: node,
    clusterCIDR: POD_RANGE,
    clientConnection: { kubeconfig },
    // Limits of connections are the machine's.
    conntrack: { maxPerCore: 0, min: 0 },
    nftables: { minSyncPeriod: '100ms' },
    // Needs CAP_SYS_RESOURCE, and nothing depends on it.
    oomScoreAdj: 0,
  }
  return `${JSON.stringify(config, null, 2)}\n`
}
