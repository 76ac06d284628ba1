import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { startInformer } from '../../support/api/informer.ts'
import { type Cli, createCli, type RunningCommand } from '../../support/cli/cli.ts'
import { NOT_READY, untilAnswered } from '../../support/cli/until-answered.ts'
import { type Handshakes, handshakesOf, tlsClientArgs } from '../../support/programs/handshakes.ts'

const IDLE_S = 5
const MOST_S = 240

// In their order: all of them are about one plane, which sleeps before each of them.
describe.runIf(process.platform === 'linux')(
  'a sleeping plane that any client wakes',
  { shuffle: false },
  () => {
    let cli: Cli
    let port: number
    /** kubectl with this kubeconfig runs no plugin of vplane. */
    let embedded: string
    let token: string

    beforeAll(async () => {
      cli = await createCli()
      embedded = join(cli.root, 'embedded')
      await cli.ok(['create', 'dev', '--idle', `${IDLE_S}s`])
      writeFileSync(embedded, await cli.ok(['kubeconfig', 'dev', '--embed-credentials']))
      port = Number(new URL((await described()).server ?? '').port)
      // On a busy machine, it may sleep already.
      token = (await answered(['create', 'token', 'default'])).trim()
      await answered([
        'create',
        'clusterrolebinding',
        'view',
        '--clusterrole=view',
        '--serviceaccount=default:default',
      ])
    })
    afterAll(() => cli[Symbol.asyncDispose]())

    test('runs nothing but a keeper, which waits for clients', async () => {
      const { reason } = await untilAsleep()

      expect(reason).toMatch(/^nobody has used it since .*; any client that connects starts it$/)
    })

    test('is listed by the fast path alone: its keeper runs', async () => {
      await untilAsleep()
      const loaded = join(cli.root, 'loaded')

      const listed = await cli.ok(['list'], { env: { NODE_V8_COVERAGE: loaded } })

      expect(listed).toMatch(/^dev +local .* Paused /m)
      const scripts = readdirSync(loaded).map((name) => readFileSync(join(loaded, name), 'utf8'))
      expect(scripts.join()).toContain('/fast-path/with-planes.cjs')
      expect(scripts.join()).not.toContain('/commands/list.js')
    })

    test('is woken by kubectl with embedded credentials, which notices only that it takes longer', async () => {
      await untilAsleep()

      expect(await answered(['get', 'namespace', 'default', '-o', 'name'])).toBe(
        'namespace/default\n',
      )
      await expect.poll(keeperLog).toMatch(/dev: Woken: by kubectl \(process \d+\), in \d+\.\ds/)
    })

    test('says who woke it, and how long that took', async () => {
      const { events, wakes } = await described()
      const last = wakes?.recent.at(-1)
      expect(last?.by).toMatch(/^kubectl \(process \d+\)$/)
      expect(last?.serverName).toBeNull()
      expect(last?.seconds).toBeGreaterThan(0.5)
      expect(events.map(({ object, reason }) => `${object} ${reason}`)).toEqual(
        expect.arrayContaining(['ControlPlane/dev PausedWhenIdle', 'ControlPlane/dev Woken']),
      )

      expect(await cli.ok(['describe', 'dev'])).toMatch(
        /^Last woken: +\d+\w+ ago by kubectl \(process \d+\), in \d+\.\ds$/m,
      )
      expect(await cli.ok(['events', 'dev'])).toContain('by kubectl (process')
      expect(await cli.ok(['metrics', 'dev'])).toMatch(
        /^vplane_last_wake_duration_seconds\{plane="dev",by="kubectl \(process \d+\)",server_name=""\} \d/m,
      )
    })

    test('is not woken again by an informer that only watched when it fell asleep', async () => {
      const env = { KUBECONFIG: embedded }
      await using informer = await startInformer({
        start: (args, options) => cli.start(args, { ...options, env }),
      })
      await untilAsleep()

      const refusals = async () =>
        (await described()).events.filter(({ reason }) => reason === 'WakeRefused')
      await expect.poll(refusals, { timeout: 60_000 }).toHaveLength(1)
      const [refusal] = await refusals()
      expect(refusal?.message).toMatch(/^watcher \(process \d+\): it only watched/)
      expect(await untilAsleep()).toMatchObject({ status: 'Paused' })

      await answered(['create', 'configmap', 'news'])
      await informer.sees('news')
    })

    test('is woken by a token of a ServiceAccount', async () => {
      await untilAsleep()
      const args = ['get', 'namespaces', '-o', 'name', '--token', token]

      expect(await answered(args, withoutUser(embedded))).toContain('namespace/default\n')
    })

    test('loses no connection of a client that comes again and again, and stays awake for it in the end', async () => {
      await untilAsleep()
      const client = tlsClient(MOST_S)

      const staysAwake = await waitFor(async () => (await described()).wakes?.staysAwake ?? false, {
        what: 'that it stays awake',
        timeoutMs: MOST_S * 1000,
      })
      expect(staysAwake.reason).toMatch(
        /^node \(process \d+\) woke it three times within an hour and wrote nothing$/,
      )
      expect(await cli.ok(['describe', 'dev'])).toContain(staysAwake.reason.slice(0, 20))

      client.child.kill('SIGTERM')
      const { count, errors } = await handshakesOf(client.ended)
      expect(count).toBeGreaterThan(100)
      expect(errors.filter((error) => error.includes('ECONNREFUSED'))).toEqual([])
      expect((await untilAsleep()).wakes?.staysAwake).toBeNull()
    })

    test('sleeps on when something that speaks no TLS connects', async () => {
      await untilAsleep()
      const woken = keeperLog().split('Woken').length
      const socket = connectPlain({ host: '127.0.0.1', port })
      socket.end('GET / HTTP/1.1\r\n\r\n')
      await new Promise((resolve) => {
        socket.once('close', resolve)
        socket.resume()
      })

      expect(keeperLog().split('Woken')).toHaveLength(woken)
      expect(names()).not.toContain('etcd')
    })

    test('gets its keeper back from the next vplane that looks at it', async () => {
      await untilAsleep()
      cli.processes().forEach(({ id }) => process.kill(id, 'SIGKILL'))
      await waitFor(async () => cli.processes().length === 0, {
        what: 'its end',
        timeoutMs: 10_000,
      })
      expect((await shakeHands()).errors).toEqual([
        expect.stringMatching(/ECONNREFUSED|ECONNRESET/),
      ])

      await cli.ok(['list'])

      await expect.poll(async () => (await shakeHands()).errors, { timeout: 60_000 }).toEqual([])
    })

    test('is started completely when its keeper was killed while it started it', async () => {
      await untilAsleep()
      const client = tlsClient()
      await waitFor(async () => names().includes('etcd'), { what: 'etcd', timeoutMs: 60_000 })
      const keeper = cli.processes().find(({ args }) => args.includes('keeper'))
      process.kill(keeper?.id ?? 0, 'SIGKILL')
      await client.ended

      await cli.ok(['list'])

      const all = ['etcd', 'kube-apiserver', 'kube-controller-manager']
      await expect.poll(names, { timeout: 60_000 }).toEqual(expect.arrayContaining(all))
      await expect.poll(async () => (await shakeHands()).errors, { timeout: 60_000 }).toEqual([])
      expect(keeperLog()).toContain('dev: continues a start that was interrupted')
    })

    test('sleeps on when its user has paused it, until its user starts it', async () => {
      await cli.ok(['pause', 'dev', '--no-snapshot'])
      // A keeper that had paused it just before may listen some seconds longer.
      const refused = [expect.stringContaining('ECONNREFUSED')]
      await expect
        .poll(async () => (await shakeHands()).errors, { timeout: 60_000 })
        .toEqual(refused)

      await cli.ok(['resume', 'dev'])

      expect((await shakeHands()).errors).toEqual([])
    })

    test('is started by resume while the keeper listens in its place', async () => {
      await untilAsleep()

      await cli.ok(['resume', 'dev'])

      expect(await kubectl(['get', 'namespace', 'default', '-o', 'name'])).toBe(
        'namespace/default\n',
      )
      expect(port).toBe(Number(new URL((await described()).server ?? '').port))
    })

    test('leaves nothing when it is deleted asleep', async () => {
      await untilAsleep()

      await cli.ok(['delete', 'dev', '--yes'])

      await waitFor(async () => cli.processes().length === 0, {
        what: 'the end of the keeper',
        timeoutMs: 30_000,
      })
      expect(cli.files()).toEqual([])
    })

    function names(): string[] {
      return cli.processes().map(({ name }) => name)
    }

    function described(): Promise<PlaneDetails> {
      return cli.json(['describe', 'dev', '--json'])
    }

    async function kubectl(args: readonly string[]): Promise<string> {
      return await cli.kubectlOk(args, { env: { KUBECONFIG: embedded } })
    }

    function answered(args: readonly string[], path = embedded): Promise<string> {
      const client = () => cli.kubectl(args, { env: { KUBECONFIG: path } })
      return untilAnswered(client, NOT_READY)
    }

    function untilAsleep(): Promise<PlaneDetails> {
      return waitFor(
        async () => {
          const plane = await described()
          return plane.status === 'Paused' && !names().includes('kube-apiserver') && plane
        },
        { what: 'the pause', timeoutMs: 120_000, intervalMs: 250 },
      )
    }

    function tlsClient(seconds?: number): RunningCommand {
      return cli.start(tlsClientArgs(port, seconds), { program: process.execPath })
    }

    function shakeHands(): Promise<Handshakes> {
      return handshakesOf(tlsClient().ended)
    }

    function keeperLog(): string {
      return readFileSync(join(cli.root, 'data/vplane/keeper.log'), 'utf8')
    }
  },
)

/** A copy of a kubeconfig without its client certificate. */
function withoutUser(path: string): string {
  const copy = `${path}-without-user`
  writeFileSync(
    copy,
    readFileSync(path, 'utf8').replaceAll(/^ *client-(key|certificate)-data:.*\n/gm, ''),
  )
  return copy
}
