import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, type CommandOptions, createCli } from '../../support/cli/cli.ts'

describe('connect NAME -- CMD', () => {
  let cli: Cli
  const connect = (command: readonly string[], options?: CommandOptions) =>
    cli.run(['connect', 'dev', '--', ...command], options)

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'dev'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for([
    [['sh', '-c', 'exit 0'], 0],
    [['sh', '-c', 'exit 7'], 7],
    [['sh', '-c', 'exit 125'], 125],
    [['sh', '-c', 'kill -TERM $$'], 143],
    [['sh', '-c', 'kill -KILL $$'], 137],
    [['no-such-command'], 127],
    [[''], 127],
    [['/etc/passwd'], 126],
    [['/tmp'], 126],
  ] as const)('ends as %j does', async ([command, expected]) => {
    expect((await connect(command)).code).toBe(expected)
  })

  test('ends with 125 when vplane itself fails before the command starts', async () => {
    const { code, stderr } = await cli.run(['connect', 'no-such-plane', '--', 'true'])

    expect(code).toBe(125)
    expect(stderr).toContain('no control plane named "no-such-plane"')
  })

  test('passes arguments as they are and in their order, also those that look like its own', async () => {
    const args = ['--json', '-h', '--', '', 'a b', '"$x"', '*', '--driver', 'local', 'é\n']

    const { code, stdout } = await connect(['printf', '[%s]', ...args])

    expect(code).toBe(0)
    expect(stdout).toBe(args.map((argument) => `[${argument}]`).join(''))
  })

  test('prints a kubeconfig as JSON that kubectl reads', async () => {
    const file = join(dirname(cli.kubeconfig), 'printed.json')

    writeFileSync(file, await cli.ok(['connect', 'dev', '--print', '--json']))

    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ kind: 'Config' })
    const { stdout } = await connect(['kubectl', '--kubeconfig', file, 'get', '--raw', '/readyz'])
    expect(stdout).toBe('ok')
  })

  test('leaves stdin, stdout and stderr to the command', async () => {
    const input = 'line ä\n'.repeat(50_000)

    const { stderr, stdout } = await connect(['sh', '-c', 'cat; echo done >&2'], { input })

    expect(stdout).toBe(input)
    expect(stderr).toBe('done\n')
  })

  test('gives the command a kubeconfig for its owner alone, which is gone afterwards', async () => {
    const script = 'echo "$KUBECONFIG"; ls -ld "$KUBECONFIG" "$(dirname "$KUBECONFIG")"'

    const { stdout } = await connect(['sh', '-c', `${script}; exit 3`])

    const [path = '', ...listing] = stdout.split('\n')
    expect(path).not.toBe(cli.kubeconfig)
    expect(listing).toContainEqual(expect.stringMatching(/^-rw------- /))
    expect(listing).toContainEqual(expect.stringMatching(/^drwx------ /))
    expect(existsSync(dirname(path))).toBe(false)
  })

  test('switches nothing', async () => {
    const textNow = () => existsSync(cli.kubeconfig) && readFileSync(cli.kubeconfig, 'utf8')
    const before = textNow()

    const { stdout } = await connect(['kubectl', 'config', 'current-context'])

    expect(stdout).toBe('vplane_dev\n')
    expect(textNow()).toBe(before)
  })

  test.for(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1'] as const)(
    'passes a %s on, and lets the command decide',
    async (signal) => {
      const name = signal.slice(3)
      const script = `trap 'echo got ${name}; exit 9' ${name}; echo ready; while :; do sleep 0.05; done`
      const running = cli.start(['connect', 'dev', '--', 'sh', '-c', script])
      await running.says('ready')

      running.child.kill(signal)

      expect(await running.ended).toMatchObject({ code: 9, stdout: `ready\ngot ${name}\n` })
    },
  )

  test('ends with 128 + the number of the signal that ended the command', async () => {
    const running = cli.start(['connect', 'dev', '--', 'sh', '-c', 'echo ready; exec sleep 60'])
    await running.says('ready')

    running.child.kill('SIGTERM')

    expect((await running.ended).code).toBe(143)
  })

  test('removes the private kubeconfig when the command is ended by a signal', async () => {
    const script = 'echo "$KUBECONFIG"; exec sleep 60'
    const running = cli.start(['connect', 'dev', '--', 'sh', '-c', script])
    await running.says('kubeconfig')

    running.child.kill('SIGINT')

    const { code, stdout } = await running.ended
    expect(code).toBe(130)
    expect(existsSync(dirname(stdout.trim()))).toBe(false)
  })

  test('finds the managed kubectl when none is installed, after everything else on PATH', async () => {
    const PATH = [foldersWithoutKubectl(cli), '/no/such/folder'].join(delimiter)

    const { code, stdout } = await connect(['sh', '-c', 'command -v kubectl; echo "$PATH"'], {
      env: { PATH },
    })

    expect(code).toBe(0)
    expect(stdout).toBe(`${cli.binaries.kubectl}\n${PATH}:${dirname(cli.binaries.kubectl)}\n`)
  })

  test('leaves PATH as it is when kubectl is installed', async () => {
    const { stdout } = await connect(['sh', '-c', 'echo "$PATH"'])

    expect(stdout).toBe(`${cli.environment['PATH']}\n`)
  })

  test('is honoured when the plane is connected already, and says nothing of its own', async () => {
    await cli.ok(['connect', 'dev'])
    const before = readFileSync(cli.kubeconfig, 'utf8')

    const { stderr, stdout } = await connect(['sh', '-c', 'echo "$KUBECONFIG"'])

    expect(stdout.trim()).not.toBe(cli.kubeconfig)
    expect(stderr).toBe('')
    expect(readFileSync(cli.kubeconfig, 'utf8')).toBe(before)
  })

  test('refuses --json, as the output is the command’s own', async () => {
    expect((await cli.run(['connect', 'dev', '--json', '--', 'true'])).code).toBe(125)
  })

  test('fails without a command after --', async () => {
    const { code, stderr } = await connect([])

    expect(code).toBe(125)
    expect(stderr).toContain('there is no command after --')
  })
})

/** A folder with links to what a shell needs, and no kubectl. */
function foldersWithoutKubectl(cli: Cli): string {
  const folder = join(cli.root, 'path')
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync('/bin').filter((file) =>
    ['sh', 'cat', 'dirname'].includes(file),
  )) {
    symlinkSync(join('/bin', name), join(folder, name))
  }
  writeFileSync(join(folder, 'kubectl'), 'not executable')
  return folder
}
