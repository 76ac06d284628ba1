import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { type HandWrittenCredential, writeHandWrittenPki } from './host-hand-written-pki.ts'
import { type HostLab, until } from './host-lab.ts'
import { staticKubeconfig } from '../static-kubeconfig.ts'

const ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default'
/** The port that the Service got, of all that was applied. */
const NODE_PORT = 'jsonpath={.items[*].spec.ports[*].nodePort}'

/** The manifests in `hand-written/` with their certificates: everything that exists before they are applied. */
export interface HandWrittenPlane {
  /** Applies them, and says how long it took until `kubectl get sa default` succeeded, in milliseconds. */
  start(): Promise<number>
  /** Removes what was applied; returns when its pods are gone. */
  remove(): Promise<void>
}

/** Creates everything that does not depend on the host, for an existing namespace. */
export async function prepareHandWrittenPlane(
  host: HostLab,
  namespace: string,
): Promise<HandWrittenPlane> {
  const folder = join(host.workspace.folder, 'hand-written')
  const kubeconfig = join(folder, 'kubeconfig')
  cpSync(join(packageRoot(), 'bench/hand-written'), folder, { recursive: true })
  const credential = await writeHandWrittenPki(folder, [host.nodeAddress])
  const place = ['-n', namespace, '-k', folder]
  return {
    start: async () => {
      const startedAt = performance.now()
      const { stdout } = await host.kubectl('apply', ...place, '--output', NODE_PORT)
      const access = { server: `https://${host.nodeAddress}:${stdout.trim()}`, ...credential }
      await waitForAccount(host, access)
      writeFileSync(kubeconfig, staticKubeconfig(access), { mode: 0o600 })
      await host.run(['kubectl', 'get', 'sa', 'default'], { KUBECONFIG: kubeconfig })
      return performance.now() - startedAt
    },
    remove: async () => {
      await host.kubectl('delete', ...place, '--wait')
      const gone = ['--all', '--for=delete', '--timeout=60s']
      await host.kubectl('wait', 'pods', '-n', namespace, ...gone)
    },
  }
}

/** Asks often and without kubectl, whose start takes longer than what it would find out. */
async function waitForAccount(
  { workspace }: HostLab,
  access: HandWrittenCredential & { server: string },
): Promise<void> {
  await using client = createKubeClient(access)
  const what = 'a control plane of hand-written manifests'
  for (const path of ['/readyz', ACCOUNT]) {
    await until(() => isThere(client, path), { what, workspace })
  }
}

async function isThere(client: KubeClient, path: string): Promise<boolean> {
  try {
    return (await client.text(path)).status === 200
  } catch {
    // Nobody behind the Service yet.
    return false
  }
}
