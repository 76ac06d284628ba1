import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { createCli } from '../../support/cli/cli.ts'
import { installCopy } from '../../support/cli/install-copy.ts'
import { handshakesOf, tlsClientArgs } from '../../support/programs/handshakes.ts'
import { until } from '../../support/until.ts'

test.runIf(process.platform === 'linux')(
  'a keeper that a command started is followed by that of the new vplane, which clients wake the plane with',
  async () => {
    await using cli = await createCli()
    const folder = join(cli.root, 'data/vplane/other')
    const keepers = () =>
      cli.processes().flatMap(({ args, id }) => (args.includes('keeper') ? [id] : []))
    const log = () => readFileSync(join(cli.root, 'data/vplane/keeper.log'), 'utf8')
    const described = (): Promise<PlaneDetails> => cli.json(['describe', 'dev', '--json'])
    installCopy(folder)
    const words = [join(folder, 'bin/vplane.js'), 'create', 'dev', '--idle', '5s']
    const { code, stderr } = await cli.start(words, { program: process.execPath }).ended
    expect(code, stderr).toBe(0)
    await until('the pause', async () => {
      const names = cli.processes().map(({ name }) => name)
      return (await described()).status === 'Paused' && !names.includes('etcd')
    })
    const [before] = keepers()

    rmSync(join(folder, 'dist'), { recursive: true })
    // While an installation is incomplete, the keeper tries again.
    await until('a first try', async () => log().includes('MODULE_NOT_FOUND'))
    expect(keepers()).toContain(before)
    cpSync(join(packageRoot(), 'dist'), join(folder, 'dist'), { recursive: true })

    await until('a new keeper', async () => keepers().length === 1 && keepers()[0] !== before)
    expect(log()).toMatch(/ vplane \S+ was replaced$/m)
    const port = Number(new URL((await described()).server ?? '').port)
    await until('a client', async () => {
      const { ended } = cli.start(tlsClientArgs(port), { program: process.execPath })
      return (await handshakesOf(ended)).errors.length === 0
    })
    expect(log()).not.toContain('WakeFailed')
  },
)
