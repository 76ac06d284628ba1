import { expect, test } from 'vitest'
import { cniConfig } from './cni-config.ts'
import { containerdConfig } from './containerd-config.ts'
import { kubeProxyConfig } from './kube-proxy-config.ts'
import { kubeletConfig } from './kubelet-config.ts'

test('the CNI configuration connects pods by cables and hands out addresses of the node', () => {
  expect(JSON.parse(cniConfig({ podRange: '10.244.3.0/24' }))).toEqual({
    cniVersion: '0.4.0',
    name: 'vplane-lab',
    plugins: [
      {
        type: 'ptp',
        ipMasq: false,
        ipam: {
          type: 'host-local',
          dataDir: '/run/cni-addresses',
          ranges: [[{ subnet: '10.244.3.0/24' }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  })
})

test('the configuration of kubelets asks nothing of the machine that it may not have', () => {
  const config = JSON.parse(
    kubeletConfig({ cgroup: '/vplane-lab/h1/h1-0', pkiFolder: '/pki', resolvConf: '/resolv' }),
  )

  expect(config).toMatchObject({
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: false }, x509: { clientCAFile: '/pki/ca.crt' } },
    authorization: { mode: 'Webhook' },
    clusterDNS: ['10.96.0.10'],
    cgroupRoot: '/vplane-lab/h1/h1-0',
    failCgroupV1: false,
    failSwapOn: false,
    imageGCHighThresholdPercent: 100,
    oomScoreAdj: 0,
    resolvConf: '/resolv',
    tlsCertFile: '/pki/kubelet-server.crt',
  })
})

test('the configuration of kube-proxy is for nftables and changes no limits of the machine', () => {
  expect(JSON.parse(kubeProxyConfig({ node: 'h1-0', kubeconfig: '/kubeconfig' }))).toMatchObject({
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    hostnameOverride: 'h1-0',
    clientConnection: { kubeconfig: '/kubeconfig' },
    conntrack: { maxPerCore: 0, min: 0 },
  })
})

test('the configuration of containerd names its programs, with quotes that TOML reads', () => {
  const text = containerdConfig({
    pauseImage: 'registry.k8s.io/pause:3.10',
    runc: '/some folder/runc',
    cniPlugins: '/plugins',
    cniConfiguration: '/cni',
  })

  expect(text).toContain('sandbox_image = "registry.k8s.io/pause:3.10"\n')
  expect(text).toContain('BinaryName = "/some folder/runc"\n')
  expect(text).toContain('bin_dir = "/plugins"\n  conf_dir = "/cni"\n')
  expect(text).toContain('restrict_oom_score_adj = true\n')
  expect(text).toContain('disable_apparmor = true\n')
})
