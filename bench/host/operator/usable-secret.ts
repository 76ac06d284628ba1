import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { fieldAt } from '../../../src/shared/json-fields.ts'
import type { HostLab } from '../host-lab.ts'
import { until } from '../host-lab.ts'

const PLANE = 'bench-secret'
const SECRET = 'bench-kubeconfig'

/** A plane with a Secret that has a kubeconfig for it. */
const RESOURCE = {
  apiVersion: 'vplane.dev/v1beta1',
  kind: 'ControlPlane',
  metadata: { name: PLANE },
  spec: {
    ephemeral: true,
    credentials: { bench: { secret: SECRET, user: 'bench', clusterRole: 'cluster-admin' } },
  },
}

/** Opens a way to the plane from this machine, which is not in the cluster. */
export async function openNodePort(host: HostLab, namespace: string): Promise<string> {
  const selector = { 'vplane.dev/name': PLANE, 'vplane.dev/component': 'kube-apiserver' }
  const spec = { type: 'NodePort', selector, ports: [{ port: 443, targetPort: 6443 }] }
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'bench-secret' }, spec }
  const file = join(host.workspace.folder, 'bench-secret-service.json')
  writeFileSync(file, JSON.stringify(service))
  const output = ['--output', 'jsonpath={.spec.ports[0].nodePort}']
  const { stdout } = await host.kubectl('apply', '-n', namespace, '-f', file, ...output)
  return `https://${host.nodeAddress}:${stdout.trim()}`
}

/** Applies a ControlPlane, uses the kubeconfig in its Secret once, and deletes it; how long that took until it was used. */
export async function applyUntilUsable(
  host: HostLab,
  { namespace, server }: { namespace: string; server: string },
): Promise<number> {
  const { kubectl, workspace } = host
  const file = join(workspace.folder, 'bench-secret.json')
  const kubeconfig = join(workspace.folder, 'bench-secret.kubeconfig')
  writeFileSync(file, JSON.stringify(RESOURCE))
  const place = ['-n', namespace]
  const startedAt = performance.now()
  await kubectl('apply', ...place, '-f', file)
  const isUsable = async () => {
    try {
      const { stdout } = await kubectl('get', 'secret', SECRET, ...place, '--output', 'json')
      writeFileSync(kubeconfig, kubeconfigIn(stdout, server), { mode: 0o600 })
      await host.run(['kubectl', 'get', 'sa', 'default'], { KUBECONFIG: kubeconfig })
      return true
    } catch {
      // The first that succeeds counts.
      return false
    }
  }
  await until(isUsable, { what: 'a usable Secret', workspace })
  const ms = performance.now() - startedAt
  await kubectl('delete', 'vcp', PLANE, ...place, '--wait')
  return ms
}

/** The kubeconfig in a Secret, with another address of the same kube-apiserver. */
function kubeconfigIn(secret: string, server: string): string {
  const value = String(fieldAt(JSON.parse(secret), 'data', 'value'))
  const kubeconfig = parse(Buffer.from(value, 'base64').toString())
  const [{ cluster }] = kubeconfig.clusters
  Object.assign(cluster, { server, 'tls-server-name': 'kubernetes' })
  return JSON.stringify(kubeconfig)
}
