import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { fastConnect } from '../../../src/cli/fast-path/fast-connect.ts'
import { keptPlane, type KeeperPlane } from '../../support/cli/kept-plane.ts'

/** A plane that this process is pointed at, with a kubectl on PATH. */
async function usedPlane(options?: { expiresAt: Date }): Promise<KeeperPlane> {
  const plane = await keptPlane(options)
  const [bin, temporary] = [join(plane.home, 'bin'), join(plane.home, 'tmp')]
  mkdirSync(temporary)
  mkdirSync(bin)
  writeFileSync(join(bin, 'kubectl'), '#!/bin/sh\n', { mode: 0o755 })
  vi.stubEnv('VPLANE_HOME', plane.home)
  vi.stubEnv('KUBECONFIG', join(plane.home, 'kubeconfig'))
  vi.stubEnv('TMPDIR', temporary)
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`)
  return plane
}

/** The words of `connect dev` with a command of the shell that also leaves a mark. */
function words({ home }: KeeperPlane, script: string): string[] {
  return ['connect', 'dev', '--', 'sh', '-c', `touch ${join(home, 'ran')}; ${script}`]
}

function hasRun({ home }: KeeperPlane): boolean {
  return existsSync(join(home, 'ran'))
}

test('runs the command with a kubeconfig of the plane, and leaves none behind', async () => {
  await using plane = await usedPlane()
  const copy = join(plane.home, 'copy')

  const exitCode = await fastConnect(words(plane, `cat "$KUBECONFIG" > ${copy}`))

  expect(exitCode).toBe(0)
  const text = readFileSync(copy, 'utf8')
  expect(text).toContain(`server: "${plane.server}"`)
  expect(text).toContain(Buffer.from('a key').toString('base64'))
  // By this a vplane inside of the command knows that the context is no host.
  expect(text).toContain('vplane.dev/context')
  expect(readdirSync(join(plane.home, 'tmp'))).toEqual([])
})

test.for([
  ['exit 7', 7],
  ['kill -TERM $$', 143],
] as const)('gives the status of a command that does "%s"', async ([script, status]) => {
  await using plane = await usedPlane()

  expect(await fastConnect(words(plane, script))).toBe(status)
})

test('passes the words of the command on as they are', async () => {
  await using plane = await usedPlane()
  const copy = join(plane.home, 'copy')
  const script = `printf '%s\\n' "$0" "$@" > ${copy}`

  await fastConnect(['connect', 'dev', '--', 'sh', '-c', script, '--', '--json', 'a b', ''])

  expect(readFileSync(copy, 'utf8')).toBe('--\n--json\na b\n\n')
})

test.for([
  ['another command', ['run', '--', 'true']],
  ['a flag', ['connect', 'dev', '--driver', 'local', '--', 'true']],
  ['no command', ['connect', 'dev', '--']],
  ['no name', ['connect', '--', 'true']],
  ['a name that is none', ['connect', '../dev', '--', 'true']],
  ['a plane that is not there', ['connect', 'other', '--', 'true']],
  ['a command that is not there', ['connect', 'dev', '--', 'no-such-command']],
] as const)('leaves %s to the framework', async ([, argv]) => {
  await using plane = await usedPlane()

  expect(await fastConnect(argv)).toBeUndefined()
  expect(readdirSync(join(plane.home, 'tmp'))).toEqual([])
})

test.for([
  [23, true],
  [22, false],
  [0.1, false],
] as const)(
  'runs a command with a credential for another %d hours: %s',
  async ([hours, isUsed]) => {
    await using plane = await usedPlane({ expiresAt: new Date(Date.now() + hours * 3_600_000) })

    expect(await fastConnect(words(plane, 'true'))).toBe(isUsed ? 0 : undefined)
    expect(hasRun(plane)).toBe(isUsed)
  },
)

test.for<[string, (plane: KeeperPlane) => unknown]>([
  ['nobody listens on its port', (plane) => plane.stopListening()],
  [
    'one of its processes has ended',
    ({ folder }) => rmSync(folder.processOf('kube-controller-manager')),
  ],
  // It asks all drivers: here is no record of the plane, and no host cluster.
  ['this user knows one of its name in a host cluster too', keepHostAccess],
])('leaves a plane to the framework when %s', async ([, arrange]) => {
  await using plane = await usedPlane()
  await arrange(plane)

  expect(await fastConnect(words(plane, 'true'))).toBeUndefined()
  expect(hasRun(plane)).toBe(false)
})

test('leaves it to the framework to find a kubectl when there is none on PATH', async () => {
  await using plane = await usedPlane()
  rmSync(join(plane.home, 'bin', 'kubectl'))
  mkdirSync(join(plane.home, 'bin', 'kubectl'))
  vi.stubEnv('PATH', join(plane.home, 'bin'))

  expect(await fastConnect(words(plane, 'true'))).toBeUndefined()
})

test('stays with a plane of this machine when only others are known in a host cluster', async () => {
  await using plane = await usedPlane()
  keepHostAccess(plane, 'dev-2')

  expect(await fastConnect(words(plane, 'true'))).toBe(0)
})

/** Keeps an access for a plane of this name in a host cluster. */
function keepHostAccess({ folder, home }: KeeperPlane, name = 'dev'): void {
  const credentials = join(home, 'data', 'credentials')
  mkdirSync(credentials)
  copyFileSync(folder.access, join(credentials, `kubernetes_${name}_team_work.json`))
}
