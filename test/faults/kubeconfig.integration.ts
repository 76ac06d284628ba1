import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../support/cli/cli.ts'

const THEIRS = `# mine, do not touch
apiVersion: v1
kind: Config
current-context: theirs   # the one I need
clusters:
- {name: theirs, cluster: {server: "https://example.com:6443", x-unknown: [1, 2]}}
contexts:
- context:
    cluster: theirs
    user: theirs
  name: theirs
users: [{name: theirs, user: {token: hush}}]
preferences: {}
`

describe('a kubeconfig', () => {
  let cli: Cli
  let count = 0
  const fileWith = (text?: string) => {
    count += 1
    const path = join(cli.root, `config-${count}`)
    if (text !== undefined) {
      writeFileSync(path, text, { mode: 0o640 })
    }
    return path
  }
  const connected = (path: string) =>
    cli.kubectl(['get', 'namespace', 'default', '-o', 'name'], { env: { KUBECONFIG: path } })

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'dev'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for([
    ['that is missing', undefined],
    ['that is empty', ''],
    ['with the entries and comments of others', THEIRS],
  ] as const)('%s is as it was after connect and disconnect', async ([, text]) => {
    const path = fileWith(text)
    const env = { KUBECONFIG: path }

    await cli.ok(['connect', 'dev'], { env })
    const { stdout } = await connected(path)
    const mode = statSync(path).mode & 0o777
    await cli.ok(['disconnect'], { env })

    expect(stdout).toBe('namespace/default\n')
    expect(mode).toBe(text === undefined ? 0o600 : 0o640)
    expect(existsSync(path) ? readFileSync(path, 'utf8') : undefined).toBe(text)
  })

  test('that is a symbolic link stays one', async () => {
    const target = fileWith(THEIRS)
    const link = fileWith()
    symlinkSync(target, link)

    await cli.ok(['connect', 'dev'], { env: { KUBECONFIG: link } })
    const { stdout } = await connected(link)
    await cli.ok(['disconnect'], { env: { KUBECONFIG: link } })

    expect(stdout).toBe('namespace/default\n')
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(target, 'utf8')).toBe(THEIRS)
  })

  test('that is a list keeps the context where kubectl would write it', async () => {
    const [first, second] = [fileWith(''), fileWith(THEIRS)]
    const env = { KUBECONFIG: [first, second].join(delimiter) }

    await cli.ok(['connect', 'dev'], { env })
    const { stdout } = await cli.kubectl(['config', 'current-context'], { env })
    await cli.ok(['disconnect'], { env })
    const after = await cli.kubectl(['config', 'current-context'], { env })

    expect(stdout).toBe('vplane_dev\n')
    expect(after.stdout).toBe('theirs\n')
    expect(readFileSync(second, 'utf8')).toBe(THEIRS)
  })

  test('that another client keeps locked is not written, and the lock is named', async () => {
    const path = fileWith(THEIRS)
    writeFileSync(`${path}.lock`, '')

    const { code, stderr } = await cli.run(['connect', 'dev'], { env: { KUBECONFIG: path } })

    expect(code).not.toBe(0)
    expect(stderr).toContain(`${path}.lock`)
    expect(readFileSync(path, 'utf8')).toBe(THEIRS)
  })

  test('that cannot be read keeps nobody from listing, using and deleting planes', async () => {
    const env = { KUBECONFIG: fileWith('clusters: [\n') }

    const connect = await cli.run(['connect', 'dev'], { env })
    const listed = async (): Promise<unknown> => (await cli.json(['list', '--json'], { env })).items
    await expect.poll(listed).toMatchObject([{ name: 'dev', status: 'Ready' }])
    const used = await cli.run(
      ['connect', 'dev', '--', 'kubectl', 'get', 'ns', 'default', '-o', 'name'],
      { env },
    )
    const created = await cli.run(
      ['create', 'other', '--driver', 'local', '--ephemeral', '--no-wait'],
      { env },
    )
    const deleted = await cli.run(['delete', 'other', '--yes'], { env })

    expect(connect.code).toBe(2)
    expect(connect.stderr).toContain(env.KUBECONFIG)
    expect(used.stdout).toBe('namespace/default\n')
    expect(created.code, created.stderr).toBe(0)
    // It is gone, and what may be left of it is said.
    expect(deleted.code).toBe(7)
    expect(deleted.stderr).toContain('its context in the kubeconfig')
    expect(existsSync(cli.plane('other').root)).toBe(false)
    expect(readFileSync(env.KUBECONFIG, 'utf8')).toBe('clusters: [\n')
  })

  test('whose current context is one of vplane is no host: other planes are made, listed and deleted as ever', async () => {
    const env = { KUBECONFIG: fileWith() }
    await cli.ok(['connect', 'dev'], { env })

    const created = await cli.json(['create', 'second', '--ephemeral', '--no-wait', '--json'], {
      env,
    })
    const listed: Array<{ name: string; connected: boolean }> = (
      await cli.json(['list', '--json'], { env })
    ).items
    await cli.ok(['delete', 'second', '--yes'], { env })

    expect(created).toMatchObject({ name: 'second', driver: 'local', created: true })
    expect(listed.map(({ connected, name }) => [name, connected])).toEqual([
      ['dev', true],
      ['second', false],
    ])
    expect((await connected(env.KUBECONFIG)).stdout).toBe('namespace/default\n')
  })
})
