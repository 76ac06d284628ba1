import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isListening } from '../../src/shared/network/ports.ts'
import { waitFor } from '../../src/shared/wait.ts'
import type { HostLab } from './host-lab.ts'
import { accessIn, type StaticAccess, staticKubeconfig } from '../static-kubeconfig.ts'

const PORT_MS = 30_000

/** Two ways to the same kube-apiserver, with the same credential. */
export interface Ways {
  /** Through vplane's tunnel. */
  tunnel: StaticAccess
  /** Through a node port. */
  direct: StaticAccess
  /** Kubeconfig of the direct way. */
  directKubeconfig: string
}

/** Opens a node port to a plane in addition to its tunnel; vplane does not know of it. */
export async function openWays(
  host: HostLab,
  { name, namespace }: { name: string; namespace: string },
): Promise<Ways> {
  const place = [name, '--namespace', namespace]
  const { stdout } = await host.vplane('kubeconfig', ...place, '--embed-credentials')
  const tunnel = accessIn(stdout)
  const file = join(host.workspace.folder, 'node-port.json')
  writeFileSync(file, JSON.stringify(nodePort(name)))
  const output = ['--output', 'jsonpath={.spec.ports[0].nodePort}']
  const { stdout: port } = await host.kubectl('apply', '-n', namespace, '-f', file, ...output)
  // kube-proxy needs a moment.
  await waitFor(() => isListening(Number(port), host.nodeAddress), {
    what: `node port ${port.trim()}`,
    timeoutMs: PORT_MS,
    signal: host.workspace.signal,
  })
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

function nodePort(plane: string) {
  const selector = { 'vplane.dev/name': plane, 'vplane.dev/component': 'kube-apiserver' }
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'bench-direct' },
    spec: { type: 'NodePort', selector, ports: [{ port: 443, targetPort: 6443 }] },
  }
}
