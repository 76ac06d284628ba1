import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import type { SnapshotResult } from '../../../src/cli/results/snapshot-result.ts'
import type { SnapshotListResult } from '../../../src/commands/snapshot/list.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { startVersitygw } from '../../support/programs/versitygw.ts'

type Backup = NonNullable<PlaneDetails['backup']>

// In their order: all of them are about one plane.
describe('the backups of a plane', { shuffle: false }, () => {
  let cli: Cli
  let server: Awaited<ReturnType<typeof startVersitygw>>
  let store: string

  beforeAll(async () => {
    server = await startVersitygw()
    store = `s3://${server.bucket}/dev`
    cli = await createCli()
    const spec = ['backup.schedule=*/2 * * * * *', `backup.store=${store}`, 'backup.keep.hourly=1']
    await run(['create', 'dev', ...spec.flatMap((pair) => ['--set', pair])])
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  test('a keeper backs a plane up by its schedule, and deletes what need not stay', async () => {
    const { last } = await untilBackup((backup) => backup.last !== null)
    const later = await untilBackup((backup) => backup.last?.id !== last?.id)

    expect(later.failure).toBeNull()
    expect(Date.parse(later.nextAt ?? '')).toBeGreaterThan(Date.parse(later.last?.at ?? ''))
    // One more is there until the one before it is deleted.
    await expect.poll(async () => (await snapshots()).length).toBeLessThanOrEqual(2)
    await untilKeepers(1)
  })

  test('restores the plane from a backup, which is a snapshot', async () => {
    const kubectl = (...words: string[]) => run(['connect', 'dev', '--', 'kubectl', ...words])
    await kubectl('create', 'configmap', 'backed-up')
    const since = Date.now()
    const { last } = await untilBackup((backup) => Date.parse(backup.last?.at ?? '') > since)
    await run(['set', 'dev', 'backup-', '--yes'])
    await untilKeepers(0)
    await kubectl('delete', 'configmap', 'backed-up')

    const [newest] = (await snapshots()).toReversed()
    await run(['restore', 'dev', '--from', `${store}/${newest?.id}`, '--force', '--yes'])

    expect(Date.parse(newest?.createdAt ?? '')).toBeGreaterThanOrEqual(Date.parse(last?.at ?? ''))
    expect(await kubectl('get', 'configmap', 'backed-up', '-o=name')).toBe('configmap/backed-up\n')
    await run(['set', 'dev', 'backup.schedule=*/2 * * * * *', `backup.store=${store}`, '--yes'])
  })

  test('the next command starts a keeper that was killed, and the backups continue', async () => {
    const { last } = await untilBackup((backup) => backup.last !== null)
    // Two commands may start one each; the second one ends when it sees the first.
    await untilKeepers(1)
    const [killed = 0] = keepers()
    process.kill(killed, 'SIGKILL')
    await untilKeepers(0)

    await run(['list'])
    await untilBackup((backup) => backup.last?.id !== last?.id)

    await untilKeepers(1)
    expect(keepers()).not.toContain(killed)
  })

  test('list and describe report a store that cannot be used, without its secrets', async () => {
    await run(['set', 'dev', 'backup.store=s3://nowhere-at-all/dev', '--yes'])
    const { failure } = await untilBackup((backup) => backup.failure !== null)
    const listed = await cli.run(['list'], { env: server.environment })
    const log = readFileSync(join(cli.root, 'data/vplane/keeper.log'), 'utf8')
    const commands = cli.processes().map(({ args }) => args.join(' '))
    await run(['set', 'dev', `backup.store=${store}`, '--yes'])
    const repaired = await untilBackup((backup) => backup.failure === null)

    expect(failure?.reason).toContain('cannot use s3://nowhere-at-all/dev/')
    expect(listed.stderr).toContain('warning: the backup of "dev" failed: cannot use s3://nowhere')
    expect(log).toContain('dev: BackupFailed: cannot use s3://nowhere-at-all/dev/')
    expect([log, ...commands].join('\n')).not.toContain(server.environment.AWS_SECRET_ACCESS_KEY)
    expect(repaired.last).not.toBeNull()
  })

  test('the keeper reports once, in its log and in describe, that a component has stopped, and that it runs again', async () => {
    const alarms = async () => {
      const { alarms: found }: PlaneDetails = JSON.parse(await run(['describe', 'dev', '--json']))
      return found.map(({ reason, subject }) => `${reason} ${subject}`)
    }
    const said = () =>
      readFileSync(join(cli.root, 'data/vplane/keeper.log'), 'utf8').match(
        /Component(?:Not)?Ready/g,
      ) ?? []
    const before = said()
    const manager = cli.processes().find(({ name }) => name === 'kube-controller-manager')

    process.kill(manager?.id ?? 0, 'SIGKILL')
    await expect.poll(said, { timeout: 60_000 }).toEqual([...before, 'ComponentNotReady'])
    const shown = await alarms()
    await run(['resume', 'dev'])
    const both = [...before, 'ComponentNotReady', 'ComponentReady']
    await expect.poll(said, { timeout: 60_000 }).toEqual(both)

    expect(shown).toEqual(['ComponentNotReady kube-controller-manager'])
    await expect.poll(alarms).toEqual([])
  })

  test('the keeper stops when the last plane that needs it is paused, and starts again with it', async () => {
    await run(['pause', 'dev', '--no-snapshot'])
    await untilKeepers(0)
    const resting = await cli.run(['list'])
    await run(['resume', 'dev'])
    const since = Date.now()
    await untilBackup((backup) => Date.parse(backup.last?.at ?? '') > since)
    await run(['delete', 'dev', '--yes'])
    await untilKeepers(0)

    expect(resting.stderr).not.toContain('backup')
    expect(await snapshots()).not.toEqual([])
    expect(cli.processes()).toEqual([])
  })

  test('the snapshots are deleted by the names that a list of them prints', async () => {
    const names = await run(['snapshot', 'list', '--store', store, '-o', 'name'])

    await run(['snapshot', 'delete', ...names.trim().split('\n'), '--yes'])

    expect(names).toMatch(/^s3:/)
    expect(await snapshots()).toEqual([])
  })

  function run(args: string[]): Promise<string> {
    return cli.ok(args, { env: server.environment })
  }

  async function snapshots(): Promise<SnapshotResult[]> {
    const text = await run(['snapshot', 'list', '--store', store, '--json'])
    const { items }: SnapshotListResult = JSON.parse(text)
    return items
  }

  function untilBackup(isMeant: (backup: Backup) => boolean): Promise<Backup> {
    return waitFor(
      async () => {
        const { backup }: PlaneDetails = JSON.parse(await run(['describe', 'dev', '--json']))
        return backup !== null && isMeant(backup) && backup
      },
      { what: 'the backup', timeoutMs: 60_000, intervalMs: 250 },
    )
  }

  /** Ids of the processes that look after the planes of this home. */
  function keepers(): number[] {
    return cli.processes().flatMap(({ args, id }) => (args.includes('keeper') ? [id] : []))
  }

  async function untilKeepers(count: number): Promise<void> {
    await waitFor(async () => keepers().length === count, {
      what: `${count} keepers`,
      timeoutMs: 60_000,
    })
  }
})
