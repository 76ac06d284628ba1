import { CLUSTER_DOMAIN, DNS_ADDRESS } from '../cluster/state/address-plan.ts'

export interface KubeletSettings {
  pkiFolder: string
  /** File with the name servers of the node. */
  resolvConf: string
  /** Control group of the node's pods. */
  cgroup: string
}

/** The configuration of a node's kubelet, as JSON (which is YAML). */
export function kubeletConfig({ cgroup, pkiFolder, resolvConf }: KubeletSettings): string {
  const config = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${pkiFolder}/ca.crt` },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: `${pkiFolder}/kubelet-server.crt`,
    tlsPrivateKeyFile: `${pkiFolder}/kubelet-server.key`,
    clusterDNS: [DNS_ADDRESS],
    clusterDomain: CLUSTER_DOMAIN,
    resolvConf,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroup,
    enforceNodeAllocatable: ['pods'],
    // Kubernetes 1.35 and newer refuse the first version of control groups otherwise.
    failCgroupV1: false,
    failSwapOn: false,
    // The machine's disk and memory are not the node's to judge.
    evictionHard: {
      'imagefs.available': '100Mi',
      'memory.available': '50Mi',
      'nodefs.available': '100Mi',
      'nodefs.inodesFree': '1%',
    },
    imageGCHighThresholdPercent: 100,
    serializeImagePulls: false,
    // Needs CAP_SYS_RESOURCE, and nothing depends on it.
    oomScoreAdj: 0,
    makeIPTablesUtilChains: false,
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
  }
  return `${JSON.stringify(config, null, 2)}\n`
}
