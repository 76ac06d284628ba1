import { readFileSync, writeFileSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'

const IDLE_S = 5

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
      token = (await kubectl(['create', 'token', 'default'])).trim()
      await kubectl([
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

    test('is woken by kubectl with embedded credentials, which notices only that it takes longer', async () => {
      await untilAsleep()

      expect(await untilAnswered(['get', 'namespace', 'default', '-o', 'name'])).toBe(
        'namespace/default\n',
      )
      await expect.poll(keeperLog).toMatch(/dev: Woken: by kubectl \(process \d+\), in \d+\.\d s/)
    })

    test('is woken by a token of a ServiceAccount', async () => {
      await untilAsleep()
      const args = ['get', 'namespaces', '-o', 'name', '--token', token]

      expect(await untilAnswered(args, withoutUser(embedded))).toContain('namespace/default\n')
    })

    test('loses no connection of clients that come while it sleeps, wakes and falls asleep', async () => {
      await untilAsleep()
      const until = Date.now() + 4 * IDLE_S * 1000
      const failures: string[] = []
      const handshakes: Array<Promise<void>> = []
      while (Date.now() < until) {
        handshakes.push(shakeHands().catch((error: unknown) => void failures.push(String(error))))
        await new Promise((resolve) => {
          setTimeout(resolve, 20)
        })
      }
      await Promise.all(handshakes)

      expect(handshakes.length).toBeGreaterThan(100)
      expect(failures.filter((failure) => failure.includes('ECONNREFUSED'))).toEqual([])
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
      expect(cli.processes().map(({ name }) => name)).not.toContain('etcd')
    })

    test('gets its keeper back from the next vplane that looks at it', async () => {
      await untilAsleep()
      cli.processes().forEach(({ id }) => process.kill(id, 'SIGKILL'))
      await waitFor(async () => cli.processes().length === 0, {
        what: 'its end',
        timeoutMs: 10_000,
      })
      await expect(shakeHands()).rejects.toThrow(/ECONNREFUSED|ECONNRESET/)

      await cli.ok(['list'])

      await expect
        .poll(
          () =>
            shakeHands().then(
              () => true,
              () => false,
            ),
          { timeout: 60_000 },
        )
        .toBe(true)
    })

    test('sleeps on when its user has paused it, until its user starts it', async () => {
      await cli.ok(['pause', 'dev', '--no-snapshot'])
      await expect(shakeHands()).rejects.toThrow('ECONNREFUSED')

      await cli.ok(['resume', 'dev'])

      await shakeHands()
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

    function described(): Promise<PlaneDetails> {
      return cli.json(['describe', 'dev', '--json'])
    }

    async function kubectl(args: readonly string[]): Promise<string> {
      return await cli.kubectlOk(args, { env: { KUBECONFIG: embedded } })
    }

    /** On a busy machine the plane may take longer than its clients wait. */
    function untilAnswered(args: readonly string[], path = embedded): Promise<string> {
      return waitFor(
        async () => {
          const { code, stderr, stdout } = await cli.kubectl(args, { env: { KUBECONFIG: path } })
          expect(code === 0 || stderr.includes('tls: internal error'), stderr).toBe(true)
          return code === 0 && stdout
        },
        { what: 'an answer', timeoutMs: 60_000 },
      )
    }

    function untilAsleep(): Promise<PlaneDetails> {
      return waitFor(
        async () => {
          const names = cli.processes().map(({ name }) => name)
          const plane = await described()
          return plane.status === 'Paused' && !names.includes('kube-apiserver') && plane
        },
        { what: 'the pause', timeoutMs: 120_000, intervalMs: 250 },
      )
    }

    /** Connects, and trusts anybody: the bytes matter, not the identity. */
    async function shakeHands(): Promise<void> {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
      try {
        await new Promise<void>((resolve, reject) => {
          socket.once('secureConnect', resolve)
          socket.once('error', reject)
        })
      } finally {
        socket.destroy()
      }
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
