import { readdirSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isListening } from '../../../src/shared/network/ports.ts'
import { outcomeOf } from '../../support/api/outcome-of.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'

const PATIENT = { timeout: 120_000, interval: 250 }
const LOCAL = ['--driver', 'local']

// In their order: all of them are about one plane.
describe('a plane that is created paused', { shuffle: false }, () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('has its keys and its address, and nothing of it runs', async () => {
    const created = await cli.json(['create', 'spare', '--paused', ...LOCAL, '--json'])
    const again = await cli.json(['create', 'spare', '--paused', ...LOCAL, '--json'])
    const described = await cli.json(['describe', 'spare', '--json'])
    const checked = await cli.json(['certs', 'check', 'spare', '--json'])

    expect(created).toMatchObject({ name: 'spare', created: true, ready: false, context: null })
    expect(again).toMatchObject({ name: 'spare', created: false, ready: false })
    expect(described).toMatchObject({
      status: 'Paused',
      reason: 'it was never started; any use of its context starts it',
      server: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
    })
    expect(JSON.stringify(checked)).toContain('apiserver-etcd-client')
    expect(cli.processes()).toEqual([])
    expect(cli.files().join('\n')).not.toContain('member')
  })

  test.for([
    [['snapshot', 'create', 'spare'], '"spare" was never started, so it has no data'],
    [['certs', 'rotate-ca', 'spare', '--yes'], '"spare" was never started: it can only be rotated'],
    [['upgrade', 'spare', '--yes'], '"spare" was never started: it can only be upgraded'],
  ] as const)('refuses %j, and says what to do', async ([args, message]) => {
    const { code, stderr } = await cli.run(args)

    expect(code).toBe(7)
    expect(stderr).toContain(message)
    expect(stderr).toContain('vplane resume spare')
    expect(cli.processes()).toEqual([])
  })

  test('is changed before it is started, and stays as it is when it is paused or repaired', async () => {
    await cli.ok(['set', 'spare', 'apiServer.extraArgs.v=3', '--yes'])
    await cli.ok(['certs', 'rotate', 'spare', '--yes'])
    const paused = await cli.ok(['pause', 'spare'])
    await cli.ok(['repair', 'spare', '--yes'])

    expect(paused).toBe(
      '"spare" is paused. It was never started and has no data; vplane resume spare starts it.\n',
    )
    expect(cli.processes()).toEqual([])
    expect(await cli.json(['describe', 'spare', '--json'])).toMatchObject({
      status: 'Paused',
      reason: expect.stringContaining('it was never started'),
      userSpec: { apiServer: { extraArgs: { v: '3' } } },
    })
  })

  test('is started by its first use, and is a plane like others then', async () => {
    await cli.ok(['connect', 'spare'])
    const namespaces = await cli.kubectlOk(['get', 'namespaces', '-o', 'name'])
    const arguments_ = cli.argsOf('kube-apiserver')
    await cli.ok(['pause', 'spare'])
    const described = await cli.json(['describe', 'spare', '--json'])
    const bytes = spaceOf(cli.plane('spare').root)
    await cli.ok(['resume', 'spare'])
    const after = await cli.kubectlOk(['get', 'namespaces', '-o', 'name'])

    expect(namespaces).toContain('namespace/kube-system')
    expect(arguments_).toContain('--v=3')
    expect(described).toMatchObject({ status: 'Paused', reason: null })
    // While it runs, etcd has allocated 128 MB for its log.
    expect(bytes).toBeLessThan(8 * 1024 * 1024)
    expect(after).toContain('namespace/kube-system')
  })

  test('is started by its first client, which knows nothing of vplane', async () => {
    await cli.ok(['create', 'first', '--paused', '--idle', '30m', ...LOCAL])
    const { server } = await cli.json(['describe', 'first', '--json'])
    await expect.poll(() => isListening(Number(new URL(server).port))).toBe(true)

    await expect.poll(() => outcomeOf(new URL('/readyz', server)), PATIENT).toBe('200')
    await expect
      .poll(() => cli.ok(['events', 'first']), PATIENT)
      .toMatch(/Woken.* by node \(process/)
    await cli.ok(['delete', 'first', '--yes'])
  })

  test('is in what "list --watch" shows, from its creation to its deletion', async () => {
    const watch = cli.start(['list', '--watch'])
    await watch.says('spare')

    await cli.ok(['create', 'seen', '--paused', ...LOCAL])
    await watch.says('seen')
    await cli.ok(['delete', 'seen', '--yes'])

    expect(await watch.says('Deleted')).toMatch(/^seen .* Paused .*\n(.*\n)*seen .* Deleted /m)
    await watch.kill()
  })

  test('is one of many, which one command creates, and creates no second time', async () => {
    const many = ['create', 'many', '--count', '20', '--paused', ...LOCAL, '--json']
    const created = await cli.json(many)
    const again = await cli.json(many)
    const { items } = await cli.json(['list', '--json'])

    const names = Array.from({ length: 20 }, (_, index) => `many-${index + 1}`)
    const resultOf = (isNew: boolean) =>
      names.map((name) => {
        const result = expect.objectContaining({ name, created: isNew, ready: false })
        return expect.objectContaining({ name, outcome: 'done', error: null, result })
      })
    expect(created).toEqual({ items: resultOf(true) })
    expect(again).toEqual({ items: resultOf(false) })
    expect(items).toHaveLength(21)
    expect(new Set(items.map(({ server }: { server: string }) => server)).size).toBe(21)
    await cli.ok(['delete', ...names, '--yes'])
  })

  test('is one of those in a file, which one command creates, and continues', async () => {
    const file = join(cli.root, 'planes.yaml')
    const names = Array.from({ length: 12 }, (_, index) => `shop-${index + 1}`)
    const documents = names.map((name, index) => `name: ${name}\nlabels: {number: '${index}'}\n`)
    const create = ['create', '-f', file, '--paused', ...LOCAL, '--label', 'team=shop', '--json']

    await writeFile(file, documents.slice(0, 5).join('---\n'))
    await cli.ok(create)
    await writeFile(file, `${documents.join('---\n')}---\nname: broken\nversion: '1.0'\n`)
    const refused = await cli.run(create)
    await writeFile(file, documents.join('---\n'))
    const { items } = await cli.json(create)
    const listed = await cli.json(['list', '-l', 'team=shop', '--json'])

    expect(refused.code).toBe(2)
    expect(refused.stdout).toContain(`document 13 \\"broken\\": ${file}:`)
    expect(items.map(({ name }: { name: string }) => name)).toEqual(names)
    const isNew = items.map(({ result }: { result: { created: boolean } }) => result.created)
    expect(isNew).toEqual(names.map((_, index) => index >= 5))
    expect(listed.items.map(({ status }: { status: string }) => status)).toEqual(
      names.map(() => 'Paused'),
    )
    await cli.ok(['delete', '-l', 'team=shop', '--yes'])
  })

  test('is started when it is created again without --paused, and deleted like others', async () => {
    await cli.ok(['create', 'other', '--paused', ...LOCAL])

    const { code, stderr, stdout } = await cli.run(['create', 'other', ...LOCAL, '--no-connect'])

    expect(code, stderr).toBe(0)
    expect(stderr).toContain('"other" was created paused and never started: it is started now')
    expect(stdout).toContain('is ready')
    await cli.ok(['create', 'third', '--paused', ...LOCAL])
    await cli.ok(['delete', 'spare', 'other', 'third', '--yes'])
    expect(cli.processes()).toEqual([])
    expect(await cli.json(['list', '--json'])).toEqual({ items: [] })
  })
})

/** What everything in a folder takes on disk. */
function spaceOf(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return paths.reduce((sum, path) => sum + statSync(join(folder, path)).blocks * 512, 0)
}
