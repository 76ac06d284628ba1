import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BinariesListResult } from '../../src/commands/binaries/list.ts'
import type { DoctorResult } from '../../src/commands/doctor.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import { type Cli, createCli } from '../support/cli/cli.ts'
import { until } from '../support/until.ts'

const VPLANE = join(packageRoot(), 'bin/vplane.js')

/** A `systemctl` that starts and stops the program of the unit; `keeper-service.integration.ts` has the real one. */
const SYSTEMCTL = `#!/bin/sh
case "$*" in
*' show '*) echo ActiveState=active; echo UnitFileState=enabled ;;
*' restart '*)
  sh -c "exec $(sed -n s/^ExecStart=//p "$XDG_CONFIG_HOME"/systemd/user/*.service)" >/dev/null 2>&1 &
  echo $! >"$0.pid" ;;
*' --now '*) kill "$(cat "$0.pid")" ;;
esac
`

/** Commands that no other test runs as a user does; `commands.md` names a test of each. */
describe('a new user', () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('reads what a command does', async () => {
    const help = await cli.ok(['help', 'snapshot', 'create'])

    expect(help).toMatch(/^Usage\s+vplane snapshot create/m)
    expect(help).toContain('--output')
  })

  test('explains a field of the spec', async () => {
    expect(await cli.ok(['explain'])).toMatch(/^ {2}apiServer <Object>$/m)
    expect(await cli.ok(['explain', 'apiServer.goGc'])).toMatch(/restarts kube-apiserver$/m)
  })

  test('has a shell complete commands', async () => {
    const script = await cli.ok(['completion', 'bash'])
    const vplane = `vplane() { '${process.execPath}' '${VPLANE}' "$@"; }`
    const typed = 'COMP_WORDS=(vplane snapshot cr); COMP_CWORD=2; _vplane; echo "${COMPREPLY[@]}"'
    const shell = cli.start(['-c', [script, vplane, typed].join('\n')], { program: 'bash' })

    const { code, stderr, stdout } = await shell.ended
    expect(code, stderr).toBe(0)
    expect(stdout).toBe('create\n')
  })

  test('checks whether this machine can run planes', async () => {
    const { code, stdout } = await cli.run(['doctor', '--json'])

    const { findings }: DoctorResult = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(findings.length).toBeGreaterThan(5)
    expect(findings.filter(({ level }) => level === 'problem')).toEqual([])
  })

  test('changes a setting, and reads it again', async () => {
    await cli.ok(['config', 'set', 'timeout', '7m'])

    expect(await cli.ok(['config', 'get', 'timeout'])).toBe('7m\n')
    expect(await cli.ok(['config', 'list'])).toMatch(/timeout\s+7m/)
    await cli.ok(['config', 'unset', 'timeout'])
    expect(await cli.ok(['config', 'get', 'timeout'])).toBe('5m\n')
  })

  test('lists binaries, and removes those that no plane uses', async () => {
    const cache = join(cli.root, 'own-cache')
    const own = { env: { XDG_CACHE_HOME: cache } }
    const etcd = join('bin', 'etcd')
    const options = { recursive: true }
    cpSync(join(pathsOf(processEnvironment()).cache, etcd), join(cache, 'vplane', etcd), options)
    const listed = async () => {
      const { items }: BinariesListResult = await cli.json(['binaries', 'list', '--json'], own)
      return new Set(items.map(({ name }) => name))
    }

    expect(await listed()).toContain('etcd')
    expect(await cli.ok(['binaries', 'prune'], own)).toContain('Freed')
    expect(await listed()).toEqual(new Set())
  })

  test('installs the keeper as a service, and removes it', async () => {
    const programs = join(cli.root, 'programs')
    mkdirSync(programs)
    writeFileSync(join(programs, 'systemctl'), SYSTEMCTL, { mode: 0o700 })
    const env = { PATH: [programs, cli.environment['PATH']].join(delimiter) }
    const isRunning = async (): Promise<boolean> =>
      (await cli.json(['keeper', 'status', '--json'], { env })).running
    expect(await isRunning()).toBe(false)

    expect(await cli.ok(['keeper', 'install'], { env })).toMatch(/^The keeper runs as a service/)
    expect(await isRunning()).toBe(true)
    expect(await cli.ok(['keeper', 'status'], { env })).toMatch(/^A keeper runs\.\nservice: active/)

    expect(await cli.ok(['keeper', 'uninstall'], { env })).toBe(
      'Removed the service of the keeper.\n',
    )
    await until('the end of the keeper', async () => !(await isRunning()))
    expect(await cli.ok(['keeper', 'status'], { env })).toMatch(
      /^No keeper runs\.\nNo service is installed\./,
    )
  })

  test('reads the API in a browser, but not without the token', async () => {
    await cli.ok(['create', 'dev', '--ephemeral'])
    const proxy = cli.start(['proxy', 'dev', '--json'])
    const { port, token } = JSON.parse(await proxy.says('}\n'))
    const read = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/api/v1/namespaces/default`, { headers })

    const shown = await read({ Authorization: `Bearer ${token}` })
    const refused = await read({})
    proxy.child.kill('SIGINT')

    expect(await shown.json()).toMatchObject({ metadata: { name: 'default' } })
    expect(refused.status).toBe(401)
    expect((await proxy.ended).code).toBe(0)
    await cli.ok(['delete', 'dev', '--yes'])
  })
})
