import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { fastConnect } from '../../../src/cli/fast-path/fast-connect.ts'
import { keptPlane, type KeeperPlane } from '../../support/machine/kept-plane.ts'

/** Points this process at the plane, with a kubectl on PATH. */
function use({ home }: KeeperPlane): void {
  const bin = join(home, 'bin')
  mkdirSync(join(home, 'tmp'))
  mkdirSync(bin)
  writeFileSync(join(bin, 'kubectl'), '#!/bin/sh\n')
  chmodSync(join(bin, 'kubectl'), 0o755)
  vi.stubEnv('VPLANE_HOME', home)
  vi.stubEnv('TMPDIR', join(home, 'tmp'))
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`)
}

/** The words of `connect dev` with a command of the shell that also leaves a mark. */
function words({ home }: KeeperPlane, script: string): string[] {
  return ['connect', 'dev', '--', 'sh', '-c', `touch ${join(home, 'ran')}; ${script}`]
}

function hasRun({ home }: KeeperPlane): boolean {
  return existsSync(join(home, 'ran'))
}

test('runs the command with a kubeconfig of the plane, and leaves none behind', async () => {
  await using plane = await keptPlane()
  use(plane)
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
  await using plane = await keptPlane()
  use(plane)

  expect(await fastConnect(words(plane, script))).toBe(status)
})

test('passes the words of the command on as they are', async () => {
  await using plane = await keptPlane()
  use(plane)
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
  await using plane = await keptPlane()
  use(plane)

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
    await using plane = await keptPlane({ expiresAt: new Date(Date.now() + hours * 3_600_000) })
    use(plane)

    expect(await fastConnect(words(plane, 'true'))).toBe(isUsed ? 0 : undefined)
    expect(hasRun(plane)).toBe(isUsed)
  },
)

test('leaves a plane to the framework when nobody listens on its port', async () => {
  await using plane = await keptPlane()
  use(plane)
  await plane.stopListening()

  expect(await fastConnect(words(plane, 'true'))).toBeUndefined()
  expect(hasRun(plane)).toBe(false)
})

test('leaves a plane to the framework when one of its processes has ended', async () => {
  await using plane = await keptPlane()
  use(plane)
  rmSync(plane.folder.processOf('kube-controller-manager'))

  expect(await fastConnect(words(plane, 'true'))).toBeUndefined()
  expect(hasRun(plane)).toBe(false)
})

test('leaves it to the framework to find a kubectl when there is none on PATH', async () => {
  await using plane = await keptPlane()
  use(plane)
  rmSync(join(plane.home, 'bin', 'kubectl'))
  mkdirSync(join(plane.home, 'bin', 'kubectl'))
  vi.stubEnv('PATH', join(plane.home, 'bin'))

  expect(await fastConnect(words(plane, 'true'))).toBeUndefined()
})

/** An access that was kept for a plane of this name in a host cluster. */
function keepHostAccess({ home, server }: KeeperPlane): void {
  const access = {
    formatVersion: 1,
    planeId: 'an-id',
    server,
    certificateAuthority: 'the CA',
    certificate: 'a certificate',
    key: 'a key',
    expiresAt: new Date(Date.now() + 24 * 3_600_000),
  }
  mkdirSync(join(home, 'data', 'credentials'))
  const file = join(home, 'data', 'credentials', 'kubernetes_dev_team_work.json')
  writeFileSync(file, JSON.stringify(access))
}

test('asks all drivers for a name that this user knows in a host cluster too', async () => {
  await using plane = await keptPlane()
  use(plane)
  vi.stubEnv('KUBECONFIG', join(plane.home, 'kubeconfig'))
  keepHostAccess(plane)

  // The plane of this machine has no record here, and there is no host cluster: the framework says so.
  expect(await fastConnect(words(plane, 'true'))).toBeUndefined()
  expect(hasRun(plane)).toBe(false)
})

test('stays with a plane of this machine when only others are known in a host cluster', async () => {
  await using plane = await keptPlane()
  use(plane)
  keepHostAccess(plane)
  const credentials = join(plane.home, 'data', 'credentials')
  renameSync(
    join(credentials, 'kubernetes_dev_team_work.json'),
    join(credentials, 'kubernetes_dev-2_team_work.json'),
  )

  expect(await fastConnect(words(plane, 'true'))).toBe(0)
})
