import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'

let cli: Cli

beforeAll(async () => {
  cli = await createCli()
})
afterAll(() => cli[Symbol.asyncDispose]())

test('gives a command its own plane, exits as the command does, and leaves nothing behind', async () => {
  const script = 'kubectl create configmap x >&2 && kubectl config current-context && cat; exit 7'

  const { code, stdout } = await cli.run(['run', '--', 'sh', '-c', script], { input: 'stdin' })

  expect(code).toBe(7)
  expect(stdout).toMatch(/^vplane_run-[0-9a-f]{8}\nstdin$/)
  expectNothingLeft()
})

test.for(['SIGINT', 'SIGTERM'] as const)(
  'passes a %s on to the command, and leaves nothing behind',
  async (signal) => {
    const running = cli.start(['run', '--', 'sh', '-c', 'echo "$KUBECONFIG"; exec sleep 60'])
    const path = (await running.says('\n')).trim()

    running.child.kill(signal)

    expect((await running.ended).code).toBe(signal === 'SIGINT' ? 130 : 143)
    expect(existsSync(dirname(path))).toBe(false)
    expectNothingLeft()
  },
)

test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'leaves nothing behind when a %s comes while the plane is made',
  async (signal) => {
    const running = cli.start(['run', '--', 'true'])
    await waitFor(() => Promise.resolve(cli.processes().some(({ name }) => name === 'etcd')), {
      what: 'etcd',
      timeoutMs: 60_000,
      intervalMs: 5,
    })

    running.child.kill(signal)

    const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
    expect((await running.ended).code).toBe(codes[signal])
    expectNothingLeft()
  },
)

test('removes the plane when vplane is killed, without a word', async () => {
  const running = cli.start(['run', '--', 'sh', '-c', 'echo $$; exec sleep 60'])
  const command = Number(await running.says('\n'))
  const components = cli.processes().length

  running.child.kill('SIGKILL')
  await waitFor(() => Promise.resolve(cli.processes().length === 0), {
    what: 'the end of all processes',
    timeoutMs: 60_000,
  })

  expect(components).toBeGreaterThanOrEqual(3)
  await waitFor(() => Promise.resolve(cli.files().length === 0), {
    what: 'the end of all files',
    timeoutMs: 60_000,
  })
  expect((await cli.json(['list', '--json'])).items).toEqual([])
  // Nobody is left who could have ended the command, or removed its kubeconfig.
  process.kill(command)
  readdirSync(join(cli.root, 'tmp')).forEach((name) =>
    rmSync(join(cli.root, 'tmp', name), { recursive: true }),
  )
})

test('says 125 when the plane cannot be made, and leaves nothing behind', async () => {
  const args = ['run', '--set', 'apiServer.extraArgs.nonsense=1', '--', 'true']

  const { code, stderr } = await cli.run(args)

  expect(code).toBe(125)
  expect(stderr).toContain('unknown flag: --nonsense')
  expectNothingLeft()
})

function expectNothingLeft(): void {
  expect(cli.processes()).toEqual([])
  expect(cli.files()).toEqual([])
  expect(readdirSync(join(cli.root, 'tmp'))).toEqual([])
}
