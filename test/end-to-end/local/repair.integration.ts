import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { fillEtcd } from '../../support/data/fill-etcd.ts'

/** Bytes that the database of etcd may have: the objects that a new plane has, and little more. */
const QUOTA = 4 * 1024 ** 2

// In their order: all of them break one plane.
describe('repair of a plane of this machine', { shuffle: false }, () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
    const quota = `etcd.extraArgs.quota-backend-bytes=${QUOTA}`
    await cli.ok(['create', 'ill', '--driver', 'local', '--set', quota])
    await kubectl('create', 'configmap', 'kept')
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('finds nothing wrong with a plane that is well', async () => {
    const { code, stderr, stdout } = await cli.run(['repair', 'ill'])

    expect([code, stdout], stderr).toEqual([0, 'Nothing is wrong with "ill".\n'])
  })

  test('starts etcd that was killed, and nothing that runs', async () => {
    const { etcd = 0, ...others } = cli.ids()
    process.kill(etcd, 'SIGKILL')
    await expect.poll(() => cli.ids()['etcd']).toBeUndefined()

    const shown = await cli.run(['repair', 'ill', '--dry-run'])
    const { code, stderr, stdout } = await cli.run(['repair', 'ill', '--yes'])

    expect(shown.code, shown.stderr).toBe(0)
    expect(shown.stdout).toContain('  1. restore and start etcd\n')
    expect([code, stdout], stderr).toEqual([0, 'Repaired "ill"; it is ready.\n'])
    expect(cli.ids()).toMatchObject(others)
    await kubectl('get', 'configmap', 'kept')
  })

  test('restarts etcd that hangs', async () => {
    const { etcd = 0 } = cli.ids()
    process.kill(etcd, 'SIGSTOP')

    // One that has just been started may only need time.
    const shown = async () => (await cli.run(['repair', 'ill', '--dry-run'])).stdout
    await expect.poll(shown, { timeout: 60_000 }).toContain('restart etcd')
    const { code, stderr } = await cli.run(['repair', 'ill', '--yes'])

    expect(code, stderr).toBe(0)
    expect(cli.ids()['etcd']).not.toBe(etcd)
    await kubectl('get', 'configmap', 'kept')
  })

  test('makes room in a full etcd, which takes writes again', async () => {
    await fillEtcd(cli, ['ill'])

    const shown = await cli.run(['repair', 'ill', '--dry-run', '--json'])
    const { code, stderr } = await cli.run(['repair', 'ill', '--yes'])

    expect(JSON.parse(shown.stdout)).toMatchObject({
      repaired: false,
      faults: [{ component: 'etcd', remedy: 'free-space' }],
      steps: [{ action: 'free-space' }],
    })
    expect(code, stderr).toBe(0)
    await kubectl('create', 'configmap', 'after')
  })

  test('names the restore when the data is gone, and touches nothing', async () => {
    const taken = await cli.ok(['snapshot', 'create', 'ill', '--json'])
    const { id } = JSON.parse(taken)
    const { etcd = 0 } = cli.ids()
    process.kill(etcd, 'SIGKILL')
    await expect.poll(() => cli.ids()['etcd']).toBeUndefined()
    rmSync(cli.plane('ill').etcdData, { recursive: true })

    const { code, stderr } = await cli.run(['repair', 'ill', '--yes'])
    const isThere = existsSync(cli.plane('ill').etcdData)
    await cli.ok(['restore', 'ill', '--force', '--yes', '--from', id])

    expect(code).toBe(7)
    expect(stderr).toContain('its data is lost, and there is no other copy')
    expect(stderr).toContain(`vplane restore ill --force --from ${id}`)
    expect(isThere).toBe(false)
    await kubectl('get', 'configmap', 'after')
  })

  // Seed 001: the single copy can be destroyed by corruption of what the program or the disk has written.
  test('names the restore when corruption has destroyed the only copy, which the restore brings back', async () => {
    const { id } = await cli.json(['snapshot', 'create', 'ill', '--json'])
    const { etcd = 0 } = cli.ids()
    process.kill(etcd, 'SIGKILL')
    await expect.poll(() => cli.ids()['etcd']).toBeUndefined()
    const database = join(cli.plane('ill').etcdData, 'member/snap/db')
    writeFileSync(database, Buffer.alloc(statSync(database).size, 'rust'))

    const started = await cli.run(['resume', 'ill'])
    const { code, stderr } = await cli.run(['repair', 'ill', '--yes'])
    const left = readFileSync(database, 'utf8')
    await cli.ok(['restore', 'ill', '--force', '--yes', '--from', id])

    expect([started.code, code]).toEqual([7, 7])
    expect(stderr).toContain('there is no other copy')
    expect(stderr).toContain(`vplane restore ill --force --from ${id}`)
    expect(left).toMatch(/^rustrust/)
    await kubectl('get', 'configmap', 'after')
  })

  function kubectl(...args: string[]): Promise<string> {
    return cli.ok(['connect', 'ill', '--', 'kubectl', ...args])
  }
})
