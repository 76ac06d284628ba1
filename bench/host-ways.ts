import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostLab } from './host-lab.ts'
import { type StaticAccess, staticKubeconfig } from './static-kubeconfig.ts'

/** Two ways to the same kube-apiserver, with the same credential. */
export interface Ways {
  /** Through vplane's tunnel. */
  tunnel: StaticAccess
  /** Through a node port. */
  direct: StaticAccess
  /** Kubeconfig of the direct way. */
  directKubeconfig: string
}

/** The parts of a kubeconfig that `vplane kubeconfig --embed-credentials` has once. */
interface Kubeconfig {
  clusters: Array<{ cluster: Record<string, string> }>
  users: Array<{ user: Record<string, string> }>
}

/** Opens a node port to a plane, which vplane does not know of, beside its tunnel. */
export async function openWays(
  host: HostLab,
  { name, namespace }: { name: string; namespace: string },
): Promise<Ways> {
  const place = [name, '--namespace', namespace]
  const { stdout } = await host.vplane('kubeconfig', ...place, '--embed-credentials')
  const tunnelKubeconfig = join(host.workspace.folder, 'tunnel.kubeconfig')
  writeFileSync(tunnelKubeconfig, stdout, { mode: 0o600 })
  const tunnel = await readAccess(host, tunnelKubeconfig)
  const file = join(host.workspace.folder, 'node-port.json')
  writeFileSync(file, JSON.stringify(nodePort(name)))
  const output = ['--output', 'jsonpath={.spec.ports[0].nodePort}']
  const { stdout: port } = await host.kubectl('apply', '-n', namespace, '-f', file, ...output)
  // No certificate names the node.
  const direct = {
    ...tunnel,
    server: `https://${host.nodeAddress}:${port.trim()}`,
    serverName: 'kubernetes',
  }
  const directKubeconfig = join(host.workspace.folder, 'direct.kubeconfig')
  writeFileSync(directKubeconfig, staticKubeconfig(direct), { mode: 0o600 })
  return { tunnel, direct, directKubeconfig }
}

async function readAccess({ run }: HostLab, file: string): Promise<StaticAccess> {
  const view = ['kubectl', 'config', 'view', '--raw', '--output', 'json']
  const { stdout } = await run(view, { KUBECONFIG: file })
  const { clusters, users }: Kubeconfig = JSON.parse(stdout)
  const { cluster = {} } = clusters[0] ?? {}
  const { user = {} } = users[0] ?? {}
  const decode = (text = '') => Buffer.from(text, 'base64').toString()
  return {
    server: cluster['server'] ?? '',
    certificateAuthority: decode(cluster['certificate-authority-data']),
    certificate: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  }
}

function nodePort(plane: string) {
  const selector = { 'vplane.dev/name': plane, 'vplane.dev/component': 'kube-apiserver' }
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'bench-direct' },
    spec: { type: 'NodePort', selector, ports: [{ port: 443, targetPort: 6443 }] },
  }
}
