import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInLab } from '../../lab/describe-lab.ts'
import { WebSocket } from 'ws'
import {
  type ConnectedPlane,
  connectedPlane,
  stoppable,
} from '../../support/cli/connected-plane.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { type BridgedPod, bridgedPod } from '../../support/host/kubelet-bridge.ts'
import { machineAddress } from '../../support/host/machine-address.ts'
import { oldKubectl } from '../../support/programs/old-kubectl.ts'

// Its kubelets are reached directly, which other clusters do not allow.

const CLIENTS = [
  { client: 'kubectl 1.29, which speaks SPDY', isOld: true, isWebsocket: 'false' },
  { client: 'the newest kubectl by SPDY', isOld: false, isWebsocket: 'false' },
  { client: 'the newest kubectl by websockets', isOld: false, isWebsocket: 'true' },
]

describeInLab('streams that are upgraded', () => {
  let cli: HostCli
  let plane: ConnectedPlane
  let pod: BridgedPod
  let old: string
  const programOf = ({ isOld }: { isOld: boolean }) => (isOld ? old : cli.binaries.kubectl)
  const owned = new AsyncDisposableStack()

  beforeAll(async () => {
    old = await oldKubectl()
    cli = owned.use(await createHostCli())
    const bridge = machineAddress(cli.lab.kubeconfig)
    plane = await connectedPlane(cli, 'dev', ['--set', `apiServer.egress=[${bridge}/32]`])
    pod = owned.use(await bridgedPod(cli, plane))
  })
  afterAll(() => owned.disposeAsync())

  test.for(CLIENTS)('carry what exec of $client sends and gets', async ({ isOld, isWebsocket }) => {
    // Lines, as this goes through pipes that are text here.
    const input = randomBytes(6_000_000).toString('hex')
    const command = ['exec', '--stdin', pod.name, '--container', pod.shell, '--', 'cat']

    const { code, stderr, stdout } = await cli.start(['--namespace', pod.namespace, ...command], {
      input,
      program: programOf({ isOld }),
      env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: isWebsocket },
    }).ended

    expect(code, stderr).toBe(0)
    expect(stdout.length).toBe(input.length)
    expect(digestOf(stdout)).toBe(digestOf(input))
  })

  test.for(CLIENTS)('carry port-forward of $client', async ({ isOld, isWebsocket }) => {
    const ports = ['port-forward', '--namespace', pod.namespace, `pod/${pod.name}`, ':8080']
    await using forwarding = stoppable(
      cli.start(ports, {
        program: programOf({ isOld }),
        env: { KUBECTL_PORT_FORWARD_WEBSOCKETS: isWebsocket },
      }),
    )
    const said = await forwarding.says(' -> 8080\n')
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(said) ?? []

    const answers = await Promise.all(
      Array.from({ length: 5 }, (_each, index) =>
        textAt(`http://127.0.0.1:${port}/echo?msg=${index}`),
      ),
    )

    expect(answers).toEqual(['0', '1', '2', '3', '4'])
  })

  test('pass vplane proxy: watches, websockets and SPDY', async () => {
    const args = ['proxy', 'dev', '--namespace', plane.namespace, '--json']
    await using proxy = stoppable(cli.start(args))
    const { port, token }: { port: number; token: string } = JSON.parse(await proxy.says('}\n'))
    const headers = { authorization: `Bearer ${token}` }
    const at = `127.0.0.1:${port}/api/v1/namespaces`

    const [watch]: IncomingMessage[] = await once(
      get(`http://${at}/default/configmaps?watch=true`, { headers }),
      'response',
    )
    await plane.make('watched')
    const seen = await untilSeen(watch, '"name":"watched"')
    const exec = `${at}/${pod.namespace}/pods/${pod.name}/exec?container=${pod.shell}&stdout=true`
    const printed = await printedBy(
      `ws://${exec}&command=sh&command=-c&command=echo+hello`,
      headers,
    )
    const upgrade = request(`http://${exec}&command=sh`, {
      method: 'POST',
      headers: {
        ...headers,
        connection: 'Upgrade',
        upgrade: 'SPDY/3.1',
        'x-stream-protocol-version': 'v4.channel.k8s.io',
      },
    }).end()
    const [upgraded, socket] = await once(upgrade, 'upgrade')
    socket.destroy()

    expect(seen).toContain('"type":"ADDED"')
    expect(printed).toBe('hello\n')
    expect(upgraded.statusCode).toBe(101)
    expect((await fetch(`http://${at}`)).status).toBe(401)
  })
})

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

async function textAt(url: string): Promise<string> {
  const [response] = await once(get(url, { agent: false }), 'response')
  return text(response)
}

async function untilSeen(watch: IncomingMessage | undefined, wanted: string): Promise<string> {
  let seen = ''
  for await (const chunk of watch ?? []) {
    seen += String(chunk)
    if (seen.includes(wanted)) {
      break
    }
  }
  return seen
}

/** What a command prints on stdout, which is channel 1 of a websocket. */
async function printedBy(url: string, headers: Record<string, string>): Promise<string> {
  const socket = new WebSocket(url, ['v5.channel.k8s.io'], { headers })
  let printed = ''
  socket.on('message', (data: Buffer) => {
    printed += data[0] === 1 ? data.subarray(1).toString() : ''
  })
  await once(socket, 'close')
  return printed
}
