import { existsSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../support/cli/cli.ts'

/** A command line, its exit status, and what it says. */
type Case = readonly [args: readonly string[], code: number, said: RegExp]

describe('bad input', () => {
  let cli: Cli
  const inHome = (name: string) => join(cli.root, name)

  beforeAll(async () => {
    cli = await createCli()
    writeFileSync(inHome('broken.yaml'), 'version: [1.36\n')
    writeFileSync(inHome('list.yaml'), '- version: 1.36\n')
    writeFileSync(
      inHome('wrong.yaml'),
      'version: 1.36\nephemeral: maybe\nnodes: 3\napiServer:\n  goGc: -1\n',
    )
    await mkdir(inHome('folder'))
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for([
    [['create', 'Dev'], 2, /the name "Dev" may only contain lower-case letters[^]*try "dev"/],
    [['create', '../../etc'], 2, /the name "..\/..\/etc" may only contain/],
    [['create', 'x'.repeat(41)], 2, /has 41 characters, at most 40/],
    [['create', ''], 2, /the name ""/],
    [['delete', '..', '--yes'], 2, /the name ".."/],
    [['create', 'dev', '--version', '1.99'], 2, /"1.99" is not a minor that vplane knows/],
    [['create', 'dev', '--version', 'latest'], 2, /"latest" is not a Kubernetes version/],
    [['create', 'dev', '-f', 'no-such-file.yaml'], 2, /no-such-file.yaml/],
    [['create', 'dev', '-f', 'folder'], 2, /folder/],
    [['create', 'dev', '-f', 'broken.yaml'], 2, /broken.yaml:2:1: not valid YAML/],
    [['create', 'dev', '-f', 'list.yaml'], 2, /list.yaml is not a spec: it contains a list/],
    [
      ['create', 'dev', '-f', 'wrong.yaml'],
      2,
      /1:1: version: [^]*2:1: ephemeral: [^]*"nodes"[^]*5:3: apiServer.goGc: /,
    ],
    [['create', 'dev', '--set', 'ephemeral'], 2, /"ephemeral" is not of the form path=value/],
    [['create', 'dev', '--set', 'etcd.extraArgs.data-dir=/'], 2, /may not set "--data-dir"/],
    [['create', 'dev', '--crd', 'no-such-folder'], 2, /no-such-folder/],
    [['create', 'dev', '--bin-dir', 'folder'], 7, /folder" has no executable etcd/],
    [['create', 'dev', '--timeout', 'soon'], 2, /soon/],
    [['create', 'dev', '--driver', 'magic'], 2, /"magic" is not one of kubernetes, local/],
    [['describe', 'dev'], 3, /no control plane named "dev"/],
    [['delete', 'dev', '--yes'], 3, /no control plane named "dev"/],
    [['connect', 'dev'], 3, /no control plane named "dev"/],
    [['delete', 'dev', '--yes', '--ignore-not-found'], 0, /"dev" does not exist/],
    [['disconnect'], 3, /vplane did not write the current context/],
  ] satisfies Case[])('%j ends with %i and says why', async ([args, code, said]) => {
    const result = await cli.run(args, { cwd: cli.root })

    expect(result.code, result.stderr).toBe(code)
    expect(`${result.stderr}${result.stdout}`).toMatch(said)
    expect(result.stderr).not.toMatch(/bug|\n\s+at /)
    expect(existsSync(cli.plane('dev').root)).toBe(false)
  })

  test('asks nobody where there is no terminal: a deletion needs --yes', async () => {
    await using other = await createCli()
    await mkdir(other.plane('dev').root, { recursive: true })

    const { code, stderr } = await other.run(['delete', 'dev'])

    expect(code).toBe(2)
    expect(stderr).toContain('pass --yes to confirm')
    expect(existsSync(other.plane('dev').root)).toBe(true)
  })
})

describe('a plane file that is', () => {
  test.for([
    ['cut off', '{"formatVersion":1,"name":"de', /is damaged/],
    ['empty', '', /is damaged/],
    ['of a newer vplane', '{"formatVersion":9,"writtenBy":"8.0.0"}', /vplane 8.0.0 or later/],
    ['missing', undefined, /plane.json is missing/],
  ] as const)('%s can be listed and deleted, and nothing else', async ([, text, reason]) => {
    await using cli = await createCli()
    await mkdir(cli.plane('dev').root, { recursive: true })
    await mkdtemp(join(cli.plane('dev').root, 'something-'))
    if (text !== undefined) {
      writeFileSync(cli.plane('dev').record, text)
    }

    const listed = (await cli.json(['list', '--json'])).items
    const results = [
      await cli.run(['create', 'dev']),
      await cli.run(['connect', 'dev']),
      await cli.run(['pause', 'dev']),
      await cli.run(['connect', 'dev', '--', 'true']),
    ]
    await cli.ok(['delete', 'dev', '--yes'])

    expect(listed).toMatchObject([
      { name: 'dev', status: 'Unreadable', reason: expect.stringMatching(reason) },
    ])
    expect(results.map(({ code }) => code)).toEqual([7, 7, 7, 125])
    for (const { stderr } of results) {
      expect(stderr).toMatch(reason)
      expect(stderr).toContain('vplane delete dev')
    }
    expect(cli.files()).toEqual([])
  })
})
