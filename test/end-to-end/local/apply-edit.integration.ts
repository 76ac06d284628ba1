import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { scriptedEditor } from '../../support/cli/scripted-editor.ts'

const BEFORE = { apiServer: { extraArgs: { v: '2' } } }
const AFTER = { apiServer: { extraArgs: { v: '3' } } }

// In their order: all of them change one plane.
describe('a spec that is applied or edited', { shuffle: false }, () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'day', '--driver', 'local', '--file', specFile(BEFORE)])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('is shown with what it does, and changes nothing of a plane that it is only tried on', async () => {
    const before = state()

    const { code, stderr, stdout } = await apply(AFTER, '--dry-run')

    expect(code, stderr).toBe(0)
    expect(stdout).toContain('- apiServer.extraArgs.v: "2"\n')
    expect(stdout).toContain('+ apiServer.extraArgs.v: "3"\n')
    expect(stdout).toContain('1. restart kube-apiserver')
    expect(stdout).toMatch(/Nothing was changed\.\n$/)
    expect(state()).toEqual(before)
  })

  test.for([
    [{ ...BEFORE, clusterDomain: 'other' }, '"clusterDomain" stays "cluster.local"'],
    [{ ...BEFORE, ephemeral: true }, '"ephemeral" stays false'],
    [{ ...BEFORE, version: '1.35' }, '"version"'],
    [{ apiServer: { extraArgs: { 'etcd-servers': 'x' } } }, '--etcd-servers'],
    [{ apiServers: {} }, 'apiServers'],
  ] as const)('%j is refused by its name, and the plane stays as it is', async ([spec, words]) => {
    const before = state()

    const { code, stderr } = await apply(spec, '--yes')

    expect(code).toBe(2)
    expect(stderr).toContain(words)
    expect(state()).toEqual(before)
  })

  test('is done when nobody has to be asked, and then only where something differs', async () => {
    const before = cli.ids()

    const unasked = await apply(AFTER)
    const applied = await apply(AFTER, '--yes')
    const after = cli.ids()
    const again = await cli.ok(['apply', 'day', '--file', '-', '--yes'], {
      input: JSON.stringify(AFTER),
    })

    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('cannot ask')
    expect(applied.code, applied.stderr).toBe(0)
    // kube-controller-manager too while it is young.
    expect(after['etcd']).toBe(before['etcd'])
    expect(after['kube-apiserver']).not.toBe(before['kube-apiserver'])
    expect(cli.argsOf('kube-apiserver')).toContain('--v=3')
    expect(again).toBe('"day" is already up to date.\n')
    expect(cli.ids()).toEqual(after)
  })

  test('is left alone by an editor that changes nothing', async () => {
    const before = state()
    const editor = scriptedEditor(cli.root, [undefined])

    expect(await cli.ok(['edit', 'day', '--yes'], editor)).toBe('"day" is already up to date.\n')
    expect(editor.seen(1)).toMatch(
      /^# The spec of "day"[^]*\napiServer:\n {2}extraArgs:\n {4}v: "3"\n$/,
    )
    expect(state()).toEqual(before)
  })

  test('opens the editor again with the errors, until the spec is valid', async () => {
    const before = cli.ids()
    const editor = scriptedEditor(cli.root, [
      'apiServer: [',
      'clusterDomain: other\n',
      'controllerManager: {extraArgs: {v: "2"}}\napiServer: {extraArgs: {v: "3"}}\n',
    ])

    const { code, stderr } = await cli.run(['edit', 'day', '--yes'], editor)

    expect(code, stderr).toBe(0)
    expect(editor.seen(2)).toMatch(/^#[^]*# .*(YAML|flow|line)[^]*\napiServer: \[$/)
    expect(editor.seen(3)).toMatch(
      /^#[^]*# .*"clusterDomain" stays "cluster.local"[^]*\nclusterDomain: other\n$/,
    )
    expect(stderr).toContain('+ controllerManager.extraArgs.v: "2"\n')
    const { 'kube-controller-manager': manager, ...others } = cli.ids()
    expect(before).toMatchObject(others)
    expect(manager).not.toBe(before['kube-controller-manager'])
  })

  test('is kept in a file when it is left wrong', async () => {
    const before = state()
    const editor = scriptedEditor(cli.root, ['apiServer: [', undefined])

    const { code, stderr } = await cli.run(['edit', 'day', '--yes'], editor)

    const [, kept = ''] = /your text is saved in (\S+)/.exec(stderr) ?? []
    expect(code).toBe(2)
    expect(readFileSync(kept, 'utf8')).toMatch(/^apiServer: \[$/m)
    expect(state()).toEqual(before)
  })

  test('is kept in a file when the plane does not get it', async () => {
    const before = state()
    const text = 'apiServer: {extraArgs: {v: "5"}}\n'

    const { code, stderr } = await cli.run(['edit', 'day'], scriptedEditor(cli.root, [text]))

    const [, kept = ''] = /your text is saved in (\S+)/.exec(stderr) ?? []
    expect(code).toBe(2)
    expect(stderr).toContain('cannot ask')
    expect(readFileSync(kept, 'utf8')).toBe(text)
    expect(state()).toEqual(before)
  })

  function apply(spec: object, ...flags: string[]) {
    return cli.run(['apply', 'day', '--file', specFile(spec), ...flags])
  }

  function specFile(spec: object): string {
    const file = join(cli.root, 'spec.yaml')
    writeFileSync(file, JSON.stringify(spec))
    return file
  }

  /** What runs, and what is stored of the plane. */
  function state(): object {
    return { ids: cli.ids(), stored: readFileSync(cli.plane('day').record, 'utf8') }
  }
})
