import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { homeFiles } from '../../support/cli/home-files.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { hostObjects } from '../../support/host/host-objects.ts'

const GONE_MS = 120_000
/** On a machine that has other planes to make. */
const MADE_MS = 300_000

describeOnHost('run in a host cluster', () => {
  let cli: HostCli
  let files: Record<string, string>

  beforeAll(async () => {
    cli = await createHostCli()
    await cli.ok(['list', '--namespace', 'default'])
    files = homeFiles(cli.root)
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('gives a command a plane of its own, ends as it does, and leaves nothing behind', async () => {
    const namespace = cli.newNamespace()
    const script = 'kubectl create configmap x >&2 && kubectl config current-context && cat; exit 7'

    const { code, stderr, stdout } = await cli.run(
      ['run', '--namespace', namespace, '--', 'sh', '-c', script],
      { input: 'stdin' },
    )

    expect(code, stderr).toBe(7)
    expect(stdout).toMatch(new RegExp(`^vplane_run-[0-9a-f]{8}_${namespace}_\\S+\nstdin$`))
    await expectNothingLeft(namespace)
  })

  test('passes a signal on to the command, and leaves nothing behind', async () => {
    const namespace = cli.newNamespace()
    const script = 'echo "$KUBECONFIG"; exec sleep 120'
    const running = cli.start(['run', '--namespace', namespace, '--', 'sh', '-c', script])
    const path = (await running.says('\n', MADE_MS)).trim()

    running.child.kill('SIGTERM')

    expect((await running.ended).code).toBe(143)
    expect(existsSync(dirname(path))).toBe(false)
    await expectNothingLeft(namespace)
  })

  test('leaves nothing behind when a SIGINT comes while the plane is made', async () => {
    const namespace = cli.newNamespace()
    const running = cli.start(['run', '--namespace', namespace, '--', 'sleep', '60'])
    await waitFor(
      async () => [...(await hostObjects(cli.lab, namespace)).keys()].some(isWorkload),
      { what: 'the components', timeoutMs: GONE_MS },
    )

    running.child.kill('SIGINT')

    expect((await running.ended).code).toBe(130)
    await expectNothingLeft(namespace)
  })

  test('says 125 and why when the plane cannot be made, and leaves nothing behind', async () => {
    const namespace = cli.newNamespace()
    const flags = ['--namespace', namespace, '--set', 'apiServer.extraArgs.nonsense=1']

    const { code, stderr } = await cli.run(['run', ...flags, '--', 'true'])

    expect(code).toBe(125)
    expect(stderr).toContain('unknown flag: --nonsense')
    await expectNothingLeft(namespace)
  })

  test('removes the plane when vplane is killed, without a word', async () => {
    const namespace = cli.newNamespace()
    const script = 'echo $$; exec sleep 120'
    const running = cli.start(['run', '--namespace', namespace, '--', 'sh', '-c', script])
    const command = Number(await running.says('\n', MADE_MS))

    running.child.kill('SIGKILL')

    await waitFor(async () => (await hostObjects(cli.lab, namespace)).size === 0, {
      what: 'the end of all objects',
      timeoutMs: GONE_MS,
    })
    await waitFor(() => Promise.resolve(cli.processes().length === 0), {
      what: 'the end of all processes',
      timeoutMs: GONE_MS,
    })
    // Nobody is left who could have ended the command, or removed its kubeconfig.
    process.kill(command)
    readdirSync(join(cli.root, 'tmp')).forEach((name) =>
      rmSync(join(cli.root, 'tmp', name), { recursive: true }),
    )
  })

  async function expectNothingLeft(namespace: string): Promise<void> {
    expect(await hostObjects(cli.lab, namespace)).toEqual(new Map())
    expect(cli.processes()).toEqual([])
    expect(homeFiles(cli.root)).toEqual(files)
  }
})

function isWorkload(object: string): boolean {
  return object.startsWith('Deployment ')
}
