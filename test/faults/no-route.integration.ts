import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, type CommandResult, createCli } from '../support/cli/cli.ts'

/** Programs of Linux, not of a package. */
const UNSHARE = ['unshare', '--map-root-user', '--net'] as const
const LOOPBACK = 'ip link set lo up'

const [program, ...flags] = UNSHARE
// A network of its own has loopback and nothing else; not every machine allows one.
const canUnshare =
  process.platform === 'linux' && spawnSync(program, [...flags, 'sh', '-c', LOOPBACK]).status === 0

describe.skipIf(!canUnshare)('on a machine with no route but loopback', () => {
  let cli: Cli
  const vplane = `"${process.execPath}" bin/vplane.js`

  beforeAll(async () => {
    cli = await createCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('makes, uses, pauses and deletes a plane', async () => {
    const { code, stderr, stdout } = await alone([
      'test -z "$(ip route)"',
      `${vplane} create dev --connect`,
      'kubectl create configmap mine',
      `${vplane} pause dev`,
      'kubectl get configmap mine -o name',
      `${vplane} connect dev -- kubectl get namespace default -o name`,
      `${vplane} delete dev --yes`,
      `${vplane} list --json | tr -d ' \\n'`,
    ])

    expect(code, stderr).toBe(0)
    const lines = stdout.split('\n')
    expect(lines).toContain('"dev" is ready.')
    expect(lines).toContain('configmap/mine')
    expect(lines).toContain('namespace/default')
    expect(lines.at(-1)).toBe('{"items":[]}')
    expect(cli.processes()).toEqual([])
    expect(cli.files()).toEqual([])
  })

  test('runs a command in a plane of its own', async () => {
    const { code, stderr, stdout } = await alone([
      `${vplane} run -- kubectl get namespace default -o name`,
    ])

    expect(code, stderr).toBe(0)
    expect(stdout).toBe('namespace/default\n')
    expect(cli.processes()).toEqual([])
  })

  test('says that binaries it does not have cannot be had, and waits for no limit', async () => {
    const { code, durationMs, stderr } = await alone([`${vplane} create dev`], {
      VPLANE_HOME: cli.root,
      GOMODCACHE: join(cli.root, 'modules'),
    })

    expect(code).toBe(7)
    expect(stderr).toContain('cannot reach dl.k8s.io')
    expect(stderr).toMatch(/^error: building .* of Kubernetes/m)
    expect(durationMs).toBeLessThan(60_000)
  })

  function alone(
    commands: readonly string[],
    env: Record<string, string> = { VPLANE_OFFLINE: '1' },
  ): Promise<CommandResult> {
    const script = [LOOPBACK, ...commands].join(' && ')
    return cli.start([...flags, 'sh', '-c', script], { program, env }).ended
  }
})
