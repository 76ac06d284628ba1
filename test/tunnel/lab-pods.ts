import { randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlaneReference } from '../../src/control-plane/plane/plane.ts'
import { componentSelector } from '../../src/drivers/kubernetes/context/object-names.ts'
import { planeSelector } from '../../src/drivers/kubernetes/context/object-names.ts'
import { COMPONENT_LABEL, MANAGED_BY } from '../../src/manifests/object-names.ts'
import { objectName, PLANE_LABEL } from '../../src/manifests/object-names.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import { packageRoot, packageVersion } from '../../src/shared/package-root.ts'
import { processTableOf } from '../../src/shared/processes/process-table-of.ts'
import { parseYaml } from '../../src/shared/yaml/yaml.ts'
import { tunnelEnvironment } from '../../src/tunnel/tunnel-environment.ts'
import { createTunnels, type Tunnels } from '../../src/tunnel/tunnels.ts'
import type { Lab } from '../lab/lab.ts'

/** Two pods that stand for those of kube-apiserver: they serve the files in their image over HTTP. */
export interface LabPods extends AsyncDisposable {
  plane: PlaneReference
  tunnels: Tunnels
  /** A folder for what a test needs besides. */
  folder: string
  /** Tunnels that reach the host by another kubeconfig. */
  tunnelsBy(kubeconfig: string): Tunnels
  /** What the tunnels have written into their logs. */
  logs(): string
  /** Deletes all pods at once; others take their place. */
  deletePods(): Promise<void>
  /** Deletes the plane with its endpoint. */
  deletePlane(): Promise<void>
}

/** A file of the image that is larger than what all sockets on the way hold together: 60 MB. */
export const LARGE_FILE = '/agnhost'
/** A file that tells pods apart. */
export const NAME_FILE = '/etc/hostname'

const NAME = 'dev'

export async function startLabPods(lab: Lab): Promise<LabPods> {
  const namespace = `tunnel-${randomBytes(4).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), 'vplane-tunnel-lab-'))
  const manifest = join(folder, 'pods.json')
  writeFileSync(manifest, JSON.stringify(podObjects(namespace)))
  await lab.kubectl(['create', 'namespace', namespace])
  await lab.kubectl(['apply', '--namespace', namespace, '--filename', manifest])
  const deployment = `deployment/${objectName(NAME, 'kube-apiserver')}`
  const here = ['--namespace', namespace]
  await lab.kubectl(['rollout', 'status', deployment, ...here, '--timeout', '180s'])
  const contextOf = (kubeconfig: string) => ({
    root: join(folder, 'tunnels'),
    table: processTableOf(process.platform),
    program: [process.execPath, join(packageRoot(), 'bin/vplane.js')] as const,
    writtenBy: packageVersion(),
    host: { files: [kubeconfig], environment: tunnelEnvironment(processEnvironment()) },
  })
  const tunnels = createTunnels(contextOf(lab.kubeconfigPath))
  const hostContext = String(
    fieldOf(parseYaml(lab.kubeconfig, 'the kubeconfig'), 'current-context'),
  )
  const plane = { name: NAME, driver: 'kubernetes', namespace, hostContext } as const
  return {
    plane,
    tunnels,
    folder,
    tunnelsBy: (kubeconfig) => createTunnels(contextOf(kubeconfig)),
    logs: () =>
      globSync(join(folder, 'tunnels/**/*.log'))
        .map((path) => readFileSync(path, 'utf8'))
        .join(''),
    deletePods: async () => {
      const selected = ['--selector', componentSelector(NAME, 'kube-apiserver')]
      await lab.kubectl(['delete', 'pods', ...here, ...selected, '--wait=false'])
    },
    deletePlane: async () => {
      const selected = [...here, '--selector', planeSelector(NAME)]
      await lab.kubectl(['delete', 'deployments,services', ...selected])
      await lab.kubectl(['wait', 'pods', '--for=delete', ...selected, '--timeout', '60s'])
    },
    [Symbol.asyncDispose]: async () => {
      await tunnels.stop(plane)
      await lab.kubectl(['delete', 'namespace', namespace, '--wait=false'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A kubeconfig whose user logs in by a program that prints a file; without the file it fails as it is told. */
export function pluginKubeconfig(lab: Lab, { login, why }: { login: string; why: string }): string {
  const kubeconfig: unknown = parseYaml(lab.kubeconfig, 'the kubeconfig')
  const users = fieldOf(kubeconfig, 'users')
  const [entry]: unknown[] = Array.isArray(users) ? users : []
  const script = `cat "${login}" 2>/dev/null || { echo "${why}" >&2; exit 1; }`
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/bin/sh',
    args: ['-c', script],
    interactiveMode: 'Never',
  }
  return JSON.stringify({
    ...Object(kubeconfig),
    users: [{ name: fieldOf(entry, 'name'), user: { exec } }],
  })
}

/** A kubeconfig that reaches the host by a port of loopback. */
export function detourKubeconfig(lab: Lab, port: number): string {
  const kubeconfig: unknown = parseYaml(lab.kubeconfig, 'the kubeconfig')
  const clusters = fieldOf(kubeconfig, 'clusters')
  const [entry]: unknown[] = Array.isArray(clusters) ? clusters : []
  const cluster = Object(fieldOf(entry, 'cluster'))
  const name = new URL(String(fieldOf(cluster, 'server'))).hostname
  const detour = { ...cluster, server: `https://127.0.0.1:${port}`, 'tls-server-name': name }
  return JSON.stringify({
    ...Object(kubeconfig),
    clusters: [{ name: fieldOf(entry, 'name'), cluster: detour }],
  })
}

/** Where the API server of the host listens. */
export function hostAddress(lab: Lab): { host: string; port: number } {
  const [, server = ''] = /server: "?(https:[^"\s]+)/.exec(lab.kubeconfig) ?? []
  const { hostname, port } = new URL(server)
  return { host: hostname, port: port === '' ? 443 : Number(port) }
}

/** What such a program prints when someone has logged in. */
export function loginOf(lab: Lab): string {
  const users = fieldOf(parseYaml(lab.kubeconfig, 'the kubeconfig'), 'users')
  const [entry]: unknown[] = Array.isArray(users) ? users : []
  const user = fieldOf(entry, 'user')
  const decode = (field: string) => Buffer.from(String(fieldOf(user, field)), 'base64').toString()
  return JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: {
      clientCertificateData: decode('client-certificate-data'),
      clientKeyData: decode('client-key-data'),
    },
  })
}

function podObjects(namespace: string): object {
  const labels = { [MANAGED_BY]: 'vplane', [PLANE_LABEL]: NAME }
  const podLabels = { ...labels, [COMPONENT_LABEL]: 'kube-apiserver' }
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: objectName(NAME, 'api'), namespace, labels },
    spec: { selector: podLabels, ports: [{ port: 443, targetPort: 6443 }] },
  }
  const container = {
    name: 'kube-apiserver',
    image: 'registry.k8s.io/e2e-test-images/agnhost:2.63.0',
    imagePullPolicy: 'IfNotPresent',
    args: ['test-webserver', '--port=6443'],
    readinessProbe: { tcpSocket: { port: 6443 }, periodSeconds: 1 },
  }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: objectName(NAME, 'kube-apiserver'), namespace, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: podLabels },
      template: {
        metadata: { labels: podLabels },
        spec: { terminationGracePeriodSeconds: 1, containers: [container] },
      },
    },
  }
  return { apiVersion: 'v1', kind: 'List', items: [service, deployment] }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
