import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KeeperResult } from '../../../src/cli/results/keeper-result.ts'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { installCopy } from '../../support/cli/install-copy.ts'
import {
  startUserSystemd,
  type UserSystemd,
  whyNoUserSystemd,
} from '../../support/machine/user-systemd.ts'
import { handshakesOf, tlsClientArgs } from '../../support/programs/handshakes.ts'
import { shakeHands } from '../../support/shake-hands.ts'
import { until } from '../../support/until.ts'

const IDLE_S = 5

const reason = whyNoUserSystemd()

// In their order: all of them are about one service.
describe.skipIf(reason !== undefined)(
  `the keeper as a service${reason ? ` (${reason})` : ''}`,
  { shuffle: false },
  () => {
    let cli: Cli
    let systemd: UserSystemd
    let port: number

    beforeAll(async () => {
      cli = await createCli()
      const defined = Object.entries(cli.environment).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      )
      systemd = await startUserSystemd(cli.root, Object.fromEntries(defined))
      Object.assign(cli.environment, systemd.environment)
    })
    afterAll(async () => {
      await systemd.stop()
      await cli[Symbol.asyncDispose]()
      await systemd[Symbol.asyncDispose]()
    })

    test('is installed twice as once, and is the keeper of a plane that is created then', async () => {
      expect(await cli.json(['keeper', 'status', '--json'])).toMatchObject({
        installed: false,
        running: false,
      })

      await cli.ok(['keeper', 'install'])
      const [keeper] = await keepers(1)
      const result: KeeperResult = await cli.json(['keeper', 'install', '--json'])

      expect(result).toMatchObject({ running: true, current: true, enabled: true })
      await cli.ok(['create', 'dev', '--idle', `${IDLE_S}s`])
      port = Number(new URL((await described()).server ?? '').port)
      expect(await keepers(1)).toEqual([keeper])
      expect(await cli.ok(['keeper', 'status'])).toMatch(
        /^A keeper runs\.\nservice: active, starts when you log in/,
      )
    })

    test('is started again when it was killed', async () => {
      await untilAsleep()
      const [killed = 0] = await keepers(1)

      process.kill(killed, 'SIGKILL')

      await until('another keeper', async () => keeperIds().some((id) => id !== killed))
      await until('a client', canConnect)
    })

    test('wakes a plane after a reboot, without a command', async () => {
      await untilAsleep()
      await systemd.stop()
      expect(cli.processes()).toEqual([])
      await expect(shakeHands(port)).rejects.toThrow('ECONNREFUSED')

      await systemd.start()

      await until('a client', canConnect)
      expect(names()).toContain('kube-apiserver')
    })

    test('follows the keeper of a command, which ends for it', async () => {
      await systemctl(['stop', 'vplane-keeper'])
      await cli.ok(['list'])
      const [ofCommand = 0] = await keepers(1)

      await cli.ok(['keeper', 'install'])

      await until('its end', async () => !keeperIds().includes(ofCommand))
      await until('the other keeper', async () => (await status()).running)
      await keepers(1)
      expect(cli.argsOf('node')).toContain('--resident')
    })

    test('is replaced when vplane is upgraded, and shows that another vplane is started', async () => {
      const folder = join(cli.root, 'data/vplane/other')
      installCopy(folder)
      const other = [join(folder, 'bin/vplane.js'), 'keeper', 'install', '--json']
      const { code, stderr } = await cli.start(other, { program: process.execPath }).ended
      expect(code, stderr).toBe(0)
      const [before] = await keepers(1)

      rmSync(folder, { recursive: true })
      installCopy(folder)

      await until('a new keeper', async () => !keeperIds().includes(before ?? 0))
      await keepers(1)
      const shown = await cli.run(['keeper', 'status'])
      expect(shown.stderr).toBe(
        'warning: the unit file is out of date: it names another vplane or another VPLANE_HOME\nto repair it: vplane keeper install\n',
      )
      expect((await cli.json(['keeper', 'install', '--json'])).current).toBe(true)
      expect((await cli.run(['keeper', 'status'])).stderr).toBe('')
    })

    test('is uninstalled without its planes, and leaves a keeper of commands', async () => {
      // It is not to pause itself meanwhile.
      await cli.ok(['set', 'dev', 'idle=1h', '--yes'])
      await until('a client', canConnect)
      const before = cli.ids()['etcd']

      expect(await cli.json(['keeper', 'uninstall', '--json'])).toEqual({ removed: true })

      expect(globSync('config/systemd/**/vplane*', { cwd: cli.root })).toEqual([])
      expect(cli.ids()['etcd']).toBe(before)
      expect(cli.argsOf('node')).not.toContain('--resident')
      await keepers(1)
      await cli.ok(['set', 'dev', `idle=${IDLE_S}s`, '--yes'])
      await untilAsleep()
      await until('a client', canConnect)
      expect(await cli.json(['keeper', 'uninstall', '--json'])).toEqual({ removed: false })
      await cli.ok(['delete', 'dev', '--yes'])
      await keepers(0)
    })

    function names(): string[] {
      return cli.processes().map(({ name }) => name)
    }

    function keeperIds(): number[] {
      return cli.processes().flatMap(({ args, id }) => (args.includes('keeper') ? [id] : []))
    }

    /** Waits until so many keepers run, and returns their ids. */
    async function keepers(count: number): Promise<number[]> {
      await until(`${count} keepers`, async () => keeperIds().length === count)
      return keeperIds()
    }

    function status(): Promise<KeeperResult> {
      return cli.json(['keeper', 'status', '--json'])
    }

    function described(): Promise<PlaneDetails> {
      return cli.json(['describe', 'dev', '--json'])
    }

    async function untilAsleep(): Promise<void> {
      await until('the pause', async () => {
        const { status: shown } = await described()
        return shown === 'Paused' && !names().includes('kube-apiserver')
      })
    }

    /** Each time from another process: one that wakes a plane again and again keeps it awake. */
    async function canConnect(): Promise<boolean> {
      const { ended } = cli.start(tlsClientArgs(port), { program: process.execPath })
      return (await handshakesOf(ended)).errors.length === 0
    }

    async function systemctl(args: readonly string[]): Promise<void> {
      const { code, stderr } = await cli.start(['--user', ...args], { program: 'systemctl' }).ended
      expect(code, stderr).toBe(0)
    }
  },
)
