import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/shared/package-root.ts'
import { temporaryHome } from './temporary-home.ts'

const DEV = join(packageRoot(), 'bin/dev.js')
const ENVIRONMENT = { PATH: process.env['PATH'], HOME: '/nonexistent', NODE_NO_WARNINGS: '1' }

/** Runs vplane from src as a process. */
function vplane(argv: readonly string[], variables: Record<string, string> = {}, file = DEV) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...argv], {
    encoding: 'utf8',
    env: { ...ENVIRONMENT, ...variables },
  })
  return { status, stdout, stderr }
}

test.for(['--version', '-v'])('answers %s with versions and platform', (flag) => {
  expect(vplane([flag])).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^vplane\/\d+\.\d+\.\d+ \w+-\w+ node-v\d+\.\d+\.\d+\n$/),
    stderr: '',
  })
})

test('answers --version --json as JSON', () => {
  const { stdout, status } = vplane(['--version', '--json'])

  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ version: expect.any(String) })
})

test('does not take the --version of a command for its own', () => {
  expect(vplane(['version', '--version'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('unknown flag "--version"'),
  })
})

test('ends an unknown command with status 2 and a suggestion', () => {
  expect(vplane(['verison'])).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'error: there is no command "verison"\nhint: did you mean "vplane version"?\nhint: vplane help\n',
  })
})

test('gives scripts failures as JSON on stdout, and nothing on stderr', () => {
  const { status, stdout, stderr } = vplane(['version', '--bogus', '--json'])

  expect({ status, stderr }).toEqual({ status: 2, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    error: {
      code: 'USAGE',
      message: 'unknown flag "--bogus"',
      hints: ['usage: vplane version [flags]', 'vplane version --help'],
      exitCode: 2,
    },
  })
})

test.for([
  ['--json=true', /^\{\n {2}"error": \{\n {4}"code": "CONTROL_PLANE_NOT_FOUND",/],
  ['-ojson', /^\{\n {2}"error": \{\n {4}"code": "CONTROL_PLANE_NOT_FOUND",/],
  ['--output=yaml', /^error:\n {2}code: "CONTROL_PLANE_NOT_FOUND"\n/],
] as const)('prints a failure as the result with %s', async ([flag, expected]) => {
  using home = temporaryHome()

  const variables = { VPLANE_HOME: home.root }
  const { status, stdout, stderr } = vplane(['describe', 'dev', flag], variables)

  expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
  expect(stdout).toMatch(expected)
})

test('shows no stack unless it is asked to', () => {
  expect(vplane(['version', 'x']).stderr).not.toContain('at ')
  expect(vplane(['version', 'x'], { VPLANE_DEBUG: '1' }).stderr).toMatch(/\n {4}at /)
})

test('shows even what is thrown outside of the command as a bug', () => {
  const throwLater = `
    const { write } = process.stdout
    process.stdout.write = function (...args) {
      queueMicrotask(() => { throw new TypeError('late') })
      return write.apply(this, args)
    }`
  const preload = `--import=data:text/javascript,${encodeURIComponent(throwLater)}`

  const { status, stderr } = vplane(['version'], { NODE_OPTIONS: preload })

  expect(status).toBe(1)
  expect(stderr).toMatch(
    /^error: this is a bug in vplane: late\nhint: run it again with VPLANE_DEBUG=1/,
  )
})

test('works where nothing can be written', () => {
  using home = temporaryHome()
  chmodSync(home.root, 0o500)

  expect(vplane(['version'], { HOME: home.root })).toMatchObject({ status: 0, stderr: '' })
})

test('calls itself kubectl vplane when kubectl started it', () => {
  using home = temporaryHome()
  const link = join(home.root, 'kubectl-vplane')
  symlinkSync(DEV, link)

  const { stdout, stderr } = vplane(['help', 'version'], {}, link)

  expect(stdout + stderr).toContain('  kubectl vplane version [flags]\n')
})

test.for([
  [['--', 'completion', 'z'], 'zsh\n:4\n'],
  [['--word=z', '--', 'completion'], 'zsh\n:4\n'],
  [['--word=', '--', 'connect'], ':4\n'],
] as const)('completes %j without a word on stderr', ([words, stdout]) => {
  const answer = vplane(['__complete', ...words], { VPLANE_HOME: join(DEV, 'not-a-folder') })

  expect(answer).toEqual({ status: 0, stdout, stderr: '' })
})

test('does not mind a reader that goes away', async () => {
  const child = spawn(process.execPath, [DEV, 'help', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: ENVIRONMENT,
  })
  child.stdout.destroy()
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
