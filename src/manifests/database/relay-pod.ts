import type { Manifest } from '../manifest.ts'
import { COMPONENT_LABEL, objectLabels, objectName } from '../object-names.ts'
import { podSpecOf } from '../restore/with-restore.ts'

/** The port where it accepts connections to the first server, on loopback: only a port-forward reaches it. The next one has the next port. */
export const RELAY_PORT = 2398

/** The value of the label of its component, by which a policy limits its connections. */
export const RELAY_COMPONENT = 'database'

/** What it answers before the bytes of the server, or before the reason why it has not reached the server. */
export const RELAY_ANSWER = { connected: '+', failed: '-' } as const

/** The host ends the pod after this time if vplane was killed before it deleted it. */
const LONGEST_SECONDS = 900

const SCRIPT = `
const net = require('node:net')
const servers = process.argv.slice(1).map((text) => JSON.parse(text))
servers.forEach((address, index) => net.createServer((client) => {
  const server = net.connect({ ...address, timeout: 10000 })
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
}).listen(${RELAY_PORT} + index, '127.0.0.1'))
`

/** The fields of the pods of the plane that decide on which nodes and with which credentials it pulls images. */
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
  servers: ReadonlyArray<{ host: string; port: number }>
}

/**
 * A pod that passes on bytes to servers with data of a plane, from where the plane connects to them. It has no credentials: vplane speaks to
 * them through it, and checks their certificates itself.
 * @throws {VplaneError} `INVALID_SPEC` when a template of the user has no pods there.
 */
export function relayPod(
  workload: Manifest,
  { helperImage, name, namespace, pullPolicy, servers }: RelayOptions,
): Manifest {
  const podSpec = podSpecOf(workload)
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
          command: [
            'node',
            '-e',
            SCRIPT,
            '--',
            ...servers.map(({ host, port }) => JSON.stringify({ host, port })),
          ],
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
