import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../support/cli/cli.ts'
import { createSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/machine/small-disk.ts'

/** etcd alone writes 64 MiB at its start, and needs as much again for a second file of its log. */
const ROOM_MIB = 600

const reason = whyNoSmallDisk()

describe.skipIf(reason !== undefined)(`on a full disk${reason ? ` (${reason})` : ''}`, () => {
  let disk: SmallDisk
  let cli: Cli
  const planes = async () =>
    (await cli.json(['list', '--json'])).items.map(({ name }: { name: string }) => name)
  /** Reads what a plane had before; an etcd whose data file had to grow meanwhile is started again. */
  const expectMine = async () => {
    const read = await cli.kubectl(['get', 'configmap', 'mine', '-o', 'name'])
    expect(read.stdout, read.stderr).toBe('configmap/mine\n')
  }

  beforeAll(async () => {
    disk = createSmallDisk(ROOM_MIB)
    const home = join(disk.path, 'home')
    mkdirSync(home)
    cli = await createCli({ root: home })
    writeFileSync(cli.kubeconfig, '# mine\napiVersion: v1\nkind: Config\n')
    await cli.ok(['create', 'kept', '--connect'])
    await cli.ok(['connect', 'kept', '--', 'kubectl', 'create', 'configmap', 'mine'])
  })
  beforeEach(async () => {
    disk.empty()
    disk.resize(ROOM_MIB)
    await cli.run(['delete', 'other', 'late', 'big', '--yes', '--ignore-not-found'])
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
    disk[Symbol.dispose]()
  })

  test('reports it, leaves nothing of a plane that does not fit, and creates it when there is room', async () => {
    disk.fill()

    const full = await cli.run(['create', 'other'])

    expect({ code: full.code, stderr: full.stderr }).toEqual({
      code: 7,
      stderr: expect.stringMatching(/no space left|disk is full/i),
    })
    expect(full.stderr).toContain('free some disk space')
    expect(await planes()).toEqual(['kept'])
    expect(readdirSync(join(cli.plane('kept').root, '..'))).toEqual(['kept'])
    disk.empty()
    await expectMine()
    const again = await cli.run(['create', 'other'])
    expect(again.code, again.stderr).toBe(0)
    await cli.ok(['delete', 'other', '--yes'])
  })

  test('reports an etcd that cannot start for it, and continues when there is room', async () => {
    leave(20)

    const full = await cli.run(['create', 'late'])

    expect(full.code, full.stderr).toBe(7)
    expect(full.stderr).toMatch(/no space left/i)
    // It does not wait for a limit.
    expect(full.durationMs).toBeLessThan(60_000)
    expect(await planes()).toHaveLength(2)
    disk.empty()
    const again = await cli.run(['create', 'late'])
    expect(again.code, again.stderr).toBe(0)
    await cli.ok(['delete', 'late', '--yes'])
  })

  test('keeps what is there, and kubeconfigs as they are', async () => {
    const before = readFileSync(cli.kubeconfig, 'utf8')
    disk.fill()

    const disconnected = await cli.run(['disconnect'])

    expect(disconnected.code, disconnected.stderr).toBe(7)
    expect(disconnected.stderr).toContain('no space left')
    expect(readFileSync(cli.kubeconfig, 'utf8')).toBe(before)
    expect(await planes()).toEqual(['kept'])
    disk.empty()
    await expectMine()
  })

  test('survives that its components die on it', async () => {
    disk.fill()
    for (const { id } of cli.processes()) {
      process.kill(id, 'SIGKILL')
    }

    const full = await cli.run(['resume', 'kept', '--timeout', '60s'])
    disk.empty()
    const again = await cli.run(['resume', 'kept'])

    expect(full.code === 0 || full.stderr.match(/no space left|disk is full/i)).toBeTruthy()
    expect(again.code, again.stderr).toBe(0)
    await expectMine()
  })

  test('can be made less full by deleting a plane', async () => {
    await cli.ok(['create', 'big'])
    disk.fill()

    const { code, stderr } = await cli.run(['delete', 'big', '--yes'])

    expect(code, stderr).toBe(0)
    expect(await planes()).toEqual(['kept'])
    await expectMine()
  })

  /** Fills the disk but for so much. */
  function leave(mib: number): void {
    disk.fill()
    disk.resize(ROOM_MIB + mib)
  }
})
