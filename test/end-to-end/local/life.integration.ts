import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { listeningSockets } from '../../support/machine/listening-sockets.ts'

describe('a running plane', () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'dev'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('has the API, the default ServiceAccount and kube-root-ca.crt when create returns', async () => {
    const script = [
      'kubectl create configmap mine --from-literal=a=b',
      'kubectl get serviceaccount default -o name',
      'kubectl get configmap kube-root-ca.crt -o name',
    ].join(' && ')

    const { code, stdout } = await cli.run(['connect', 'dev', '--', 'sh', '-c', script])

    expect(code).toBe(0)
    expect(stdout).toBe(
      'configmap/mine created\nserviceaccount/default\nconfigmap/kube-root-ca.crt\n',
    )
  })

  test('has no nodes and no scheduler', async () => {
    const nodes = ['kubectl', 'get', 'nodes', '--output', 'name']

    expect(await cli.ok(['connect', 'dev', '--', ...nodes])).toBe('')
    expect(cli.processes().map(({ name }) => name)).not.toContain('kube-scheduler')
  })

  // .github/decisions/0011-no-finalizer-without-its-controller.md: kube-apiserver refuses loopback addresses in Endpoints.
  test('has the Service default/kubernetes, which leads nowhere', async () => {
    const get = async (...kinds: string[]) =>
      cli.ok(['connect', 'dev', '--', 'kubectl', 'get', ...kinds, '--output', 'name'])

    expect(await get('service/kubernetes')).toBe('service/kubernetes\n')
    expect(await get('endpoints,endpointslices')).toBe('')
  })

  test('listens on loopback alone', () => {
    const ids = cli.processes().map(({ id }) => id)

    const sockets = listeningSockets(ids)

    expect(sockets).toHaveLength(4)
    expect(sockets.filter(({ address }) => address !== '127.0.0.1')).toEqual([])
  })

  test('keeps everything for its owner alone', () => {
    const { root } = cli.plane('dev')

    const open = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => {
      const stat = statSync(join(root, path))
      // To connect to a socket one has to be allowed to write to it.
      return (stat.mode & (stat.isSocket() ? 0o022 : 0o077)) !== 0
    })

    expect(open).toEqual([])
    expect(statSync(root).mode & 0o777).toBe(0o700)
  })

  test('passes no key in arguments, and nothing of the user in the environment', () => {
    const inherited = new Set(['PATH', 'GOGC', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'TZ'])

    for (const { args, id } of cli.processes()) {
      expect(args.join(' ')).not.toContain('PRIVATE KEY')
      const names = readFileSync(`/proc/${id}/environ`, 'utf8')
        .split('\0')
        .filter((entry) => entry !== '')
        .map((entry) => entry.split('=')[0]?.toUpperCase())
      expect(
        names.filter((name) => !inherited.has(name ?? '') && !/^(GO|SSL_)/.test(name ?? '')),
      ).toEqual([])
    }
  })

  test('refuses clients of etcd without a certificate of the plane', async () => {
    const { ports } = JSON.parse(readFileSync(cli.plane('dev').record, 'utf8'))

    for (const port of [ports.etcdClient, ports.etcdPeer]) {
      await expect(requestVersion(port)).rejects.toThrow(/alert|ECONNRESET|socket/i)
    }
    const plain = await fetch(`http://127.0.0.1:${ports.etcdClient}/version`).then(
      ({ status }) => status,
      () => 'refused',
    )
    expect([400, 'refused']).toContain(plain)
  })
})

test('keeps its data over pause and resume, and leaves no process, port or file when it is deleted', async () => {
  await using cli = await createCli()
  await cli.ok(['create', 'life', '--connect'])
  const ports = portsOf(cli)
  await cli.kubectl(['create', 'namespace', 'kept'])

  const { snapshot } = await cli.json(['pause', 'life', '--json'])
  expect(cli.processes()).toEqual([])
  expect(stillListening(ports)).toEqual([])
  expect(await statusOf(cli, 'life')).toBe('Paused')
  await cli.ok(['resume', 'life'])
  await expect.poll(() => statusOf(cli, 'life')).toBe('Ready')
  expect(portsOf(cli)).toEqual(ports)
  const { stdout } = await cli.kubectl(['get', 'namespace', 'kept', '-o', 'name'])
  expect(stdout).toBe('namespace/kept\n')

  await cli.ok(['delete', 'life', '--yes'])
  await cli.ok(['snapshot', 'delete', snapshot, '--yes'])

  expect(cli.processes()).toEqual([])
  expect(stillListening(ports)).toEqual([])
  expect(cli.files()).toEqual([])
  expect((await cli.json(['list', '--json'])).items).toEqual([])
  expect((await cli.kubectl(['config', 'get-contexts', '-o', 'name'])).stdout).toBe('')
})

test('is continued or deleted after Ctrl-C during its creation, as the hints say', async () => {
  await using cli = await createCli()
  const words = ['create', 'life', '--timeout', '4m']
  const running = cli.start(words)
  await waitFor(() => Promise.resolve(cli.processes().length > 0), {
    what: 'the first component',
    timeoutMs: 60_000,
    intervalMs: 5,
  })

  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended

  expect(code).toBe(130)
  expect(stderr).toContain('error: interrupted: "life" is not finished\n')
  expect(stderr).toContain(
    'hint: to continue: vplane create life --timeout 4m\nhint: to remove it: vplane delete life\n',
  )
  await cli.ok(words)
  await expect.poll(() => statusOf(cli, 'life')).toBe('Ready')
})

// Seed 000: that is why its performance is predictable.
test('is used only by its own components and by users with access', async () => {
  await using cli = await createCli()
  const spec = join(cli.root, 'spec.json')
  const policy = { rules: [{ level: 'Metadata', omitStages: ['RequestReceived'] }] }
  writeFileSync(spec, JSON.stringify({ audit: { policy } }))
  await cli.ok(['create', 'quiet', '--file', spec])
  await cli.ok(['connect', 'quiet', '--', 'kubectl', 'create', 'configmap', 'mine'])

  const users = async () => {
    const lines = (await cli.ok(['logs', 'quiet', 'kube-apiserver'])).split('\n')
    const events = lines.filter((line) => line.includes('"apiVersion":"audit.k8s.io/v1"'))
    const requests = events.map((line): AuditEvent => JSON.parse(line))
    // Everybody may ask for its health.
    const asked = requests.filter(({ requestURI }) => requestURI.startsWith('/api'))
    return [
      ...new Set(asked.map(({ user }) => user.username.replace(CONTROLLER, 'controllers'))),
    ].toSorted()
  }

  await expect.poll(users, { timeout: 60_000 }).toContain('controllers')
  expect(await users()).toEqual([
    'controllers',
    'system:apiserver',
    'system:kube-controller-manager',
    'vplane-admin',
  ])
})

/** kube-controller-manager gives each of its controllers an account. */
const CONTROLLER = /^system:serviceaccount:kube-system:[a-z-]+$/

interface AuditEvent {
  requestURI: string
  user: { username: string }
}

function portsOf(cli: Cli): number[] {
  const ids = cli.processes().map(({ id }) => id)
  return listeningSockets(ids)
    .map(({ port }) => port)
    .toSorted((left, right) => left - right)
}

function stillListening(ports: readonly number[]): number[] {
  return listeningSockets()
    .map(({ port }) => port)
    .filter((port) => ports.includes(port))
}

async function statusOf(cli: Cli, name: string): Promise<string> {
  const [plane] = (await cli.json(['list', '--json'])).items.filter(
    (candidate: { name: string }) => candidate.name === name,
  )
  return plane.status
}

/** Asks etcd for its version without showing a certificate. */
function requestVersion(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      socket.write('GET /version HTTP/1.1\r\nhost: x\r\n\r\n')
    })
    socket.on('data', (data) => resolve(String(data)))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('socket closed')))
  })
}
