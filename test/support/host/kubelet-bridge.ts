import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect, createServer } from 'node:tls'
import { waitFor } from '../../../src/shared/wait.ts'
import { listenOn } from '../api/fake-api-server.ts'
import type { HostCli } from './host-cli.ts'
import type { ConnectedPlane } from '../cli/connected-plane.ts'
import { planeUserIn } from '../driver/plane-requests.ts'
import { createTestCertificates } from '../test-certificates.ts'

/** A pod that runs in the host namespace and that the plane believes to be its own. */
export interface BridgedPod extends AsyncDisposable {
  namespace: string
  name: string
  /** Has `sh` and `cat`. */
  shell: string
}

const NAME = 'bridged'
const SHELL = 'shell'
const KUBELET_PORT = 10_250
const READY_MS = 60_000

/**
 * Makes a pod that a nodeless plane can exec into: it runs on the host, and the plane knows a node whose kubelet is the
 * host's, behind a bridge on this machine that is known there.
 */
export async function bridgedPod(cli: HostCli, { namespace }: ConnectedPlane): Promise<BridgedPod> {
  await using owned = new AsyncDisposableStack()
  const at = ['--namespace', namespace]
  await cli.host(['create', ...at, '--filename', '-'], podOf({ namespace }))
  await cli.host(['wait', ...at, `pod/${NAME}`, '--for=condition=Ready', '--timeout=60s'])
  const path = '{.status.hostIP}'
  const kubelet = await cli.host(['get', 'pod', NAME, ...at, '--output', `jsonpath=${path}`])
  const bridge = owned.use(await startBridge(cli, kubelet))
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'host' },
    status: {
      addresses: [{ type: 'InternalIP', address: bridge.address }],
      daemonEndpoints: { kubeletEndpoint: { Port: bridge.port } },
    },
  }
  const planeNamespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  await createSoon(cli, planeNamespace)
  await createSoon(cli, node)
  await createSoon(cli, podOf({ namespace, nodeName: 'host' }))
  // kubectl forwards to no pod that does not say that it runs.
  const running = JSON.stringify({ status: { phase: 'Running' } })
  await cli.kubectl(['patch', 'pod', NAME, ...at, '--subresource', 'status', '--patch', running])
  const moved = owned.move()
  return { namespace, name: NAME, shell: SHELL, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

function podOf({ namespace, nodeName }: { namespace: string; nodeName?: string }): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME, namespace },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: SHELL,
          image: 'docker.io/library/busybox:1.36',
          imagePullPolicy: 'IfNotPresent',
          command: ['sleep', '3600'],
        },
        {
          name: 'web',
          image: 'registry.k8s.io/e2e-test-images/agnhost:2.63.0',
          imagePullPolicy: 'IfNotPresent',
          args: ['netexec', '--http-port=8080'],
        },
      ],
    },
  }
}

/** The ServiceAccount of a new namespace takes a moment. */
async function createSoon(cli: HostCli, object: object): Promise<void> {
  let said = ''
  const isMade = async () => {
    const input = JSON.stringify(object)
    const { code, stderr } = await cli.kubectl(['create', '--filename', '-'], { input })
    said = stderr
    return code === 0
  }
  await waitFor(isMade, { what: 'the plane to take an object', timeoutMs: READY_MS }).catch(
    (error: unknown) => {
      throw new Error(`kubectl said last: ${said}`, { cause: error })
    },
  )
}

interface Bridge extends AsyncDisposable {
  address: string
  port: number
}

/** Takes TLS from anybody and leads it, byte for byte, to a kubelet, as the administrator of the host. */
async function startBridge(cli: HostCli, kubelet: string): Promise<Bridge> {
  const { cert, key } = planeUserIn(cli.lab.kubeconfig)
  const own = createTestCertificates().server
  const sockets = new Set<Socket>()
  const server = createServer({ cert: own.certificate, key: own.key }, (client) => {
    sockets.add(client)
    const target = connect({
      host: kubelet,
      port: KUBELET_PORT,
      cert,
      key,
      rejectUnauthorized: false,
    })
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  server.on('tlsClientError', () => {})
  const address = await addressTowards(kubelet)
  return {
    address,
    port: await listenOn(address, server),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      sockets.forEach((socket) => socket.destroy())
      await closed
    },
  }
}

/** The address of this machine on the network of another one. */
async function addressTowards(host: string): Promise<string> {
  const socket = connectTcp(KUBELET_PORT, host)
  await once(socket, 'connect')
  const address = socket.localAddress ?? ''
  socket.destroy()
  return address
}
