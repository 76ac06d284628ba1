import type { Manifest } from '../manifest.ts'
import { COMPONENT_LABEL, objectLabels, objectName } from '../object-names.ts'
import { podSpecOf } from '../restore/with-restore.ts'

/** The port where it accepts connections, on loopback: only a port-forward reaches it. */
export const RELAY_PORT = 2398

/** The value of the label of its component, which the policy for connections to the database admits. */
export const RELAY_COMPONENT = 'database'

/** What it answers before the bytes of the server, or before the reason why it has not reached the server. */
export const RELAY_ANSWER = { connected: '+', failed: '-' } as const

/** The host ends the pod after this time if vplane was killed before it deleted it. */
const LONGEST_SECONDS = 900

const SCRIPT = `
const net = require('node:net')
const [host, port] = process.argv.slice(1)
net.createServer((client) => {
  const server = net.connect({ host, port: Number(port), timeout: 10000 })
  let connected = false
  const fail = (why) => {
    server.destroy()
    if (connected) client.destroy()
    else client.end('${RELAY_ANSWER.failed}' + why)
  }
  server.on('connect', () => {
    connected = true
    server.setTimeout(0)
    client.write('${RELAY_ANSWER.connected}')
    client.pipe(server).pipe(client)
  })
  server.on('timeout', () => fail('it does not answer'))
  server.on('error', (error) => fail(error.message || error.code))
  server.on('close', () => client.end())
  client.on('error', () => server.destroy())
  client.on('close', () => server.destroy())
}).listen(${RELAY_PORT}, '127.0.0.1')
`

/** The fields of the pod of kine that decide on which nodes and with which credentials it pulls images. */
const COPIED = [
  'enableServiceLinks',
  'imagePullSecrets',
  'nodeSelector',
  'priorityClassName',
  'securityContext',
  'tolerations',
]

export interface RelayOptions {
  name: string
  namespace: string
  helperImage: string
  pullPolicy: string
  /** The server of databases. */
  server: { host: string; port: number }
}

/**
 * A pod that passes on bytes to a server of databases, from where kine connects to it. It has no credentials: vplane speaks to
 * the server through it, and checks the certificate of the server itself.
 * @throws {VplaneError} `INVALID_SPEC` when a template of the user has no pod of kine.
 */
export function relayPod(
  statefulSet: Manifest,
  { helperImage, name, namespace, pullPolicy, server }: RelayOptions,
): Manifest {
  const podSpec = podSpecOf(statefulSet)
  const copied = COPIED.filter((field) => podSpec[field] !== undefined)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: objectName(name, 'database'),
      namespace,
      labels: { ...objectLabels(name), [COMPONENT_LABEL]: RELAY_COMPONENT },
    },
    spec: {
      ...Object.fromEntries(copied.map((field) => [field, podSpec[field]])),
      automountServiceAccountToken: false,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      activeDeadlineSeconds: LONGEST_SECONDS,
      containers: [
        {
          name: 'relay',
          image: helperImage,
          imagePullPolicy: pullPolicy,
          command: ['node', '-e', SCRIPT, '--', server.host, String(server.port)],
          resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '128Mi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    },
  }
}
