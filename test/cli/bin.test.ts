import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/shared/package-root.ts'
import { temporaryHome } from './temporary-home.ts'

const BIN = join(packageRoot(), 'bin')

/** An installed package with a `dist` that prints its words and the name it was started by. */
function installed() {
  const home = temporaryHome()
  cpSync(BIN, join(home.root, 'bin'), { recursive: true })
  mkdirSync(join(home.root, 'dist/cli'), { recursive: true })
  writeFileSync(join(home.root, 'package.json'), '{"type": "module"}')
  writeFileSync(
    join(home.root, 'dist/cli/run.cjs'),
    'exports.run = (argv) => { console.log(JSON.stringify(argv), process.argv[1]) }',
  )
  return home
}

/** Runs a file as if this Node had another version. */
function runAs(version: string, file: string, argv: readonly string[] = []) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  const url = `data:text/javascript,${encodeURIComponent(pretend)}`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', url, file, ...argv], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test.for(['24.15.0', '24.21.1', '26.0.0', '27.3.0'])('starts on Node %s', (version) => {
  using home = installed()

  const { status, stdout } = runAs(version, join(home.root, 'bin/vplane.js'), ['list', '--', ''])

  expect({ status, stdout: stdout.split(' ')[0] }).toEqual({
    status: 0,
    stdout: '["list","--",""]',
  })
})

test.for(['12.22.12', '18.20.0', '22.22.2', '24.14.9', '25.9.0'])(
  'says on Node %s what is needed and how to get it',
  (version) => {
    const { status, stdout, stderr } = runAs(version, join(BIN, 'vplane.js'), ['--version'])

    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(
      `vplane needs Node.js 24.15 or a later 24.x, or 26 and newer; this is ${version}`,
    )
    expect(stderr).toContain('hint: nvm install 24')
  },
)

test.for([
  ['run', '--', 'make', 'test'],
  ['connect', 'dev', '--', 'kubectl', 'get', 'pods'],
])('exits 125 on an old Node where other codes are those of a command: %j', (argv) => {
  expect(runAs('22.22.2', join(BIN, 'vplane.js'), argv).status).toBe(125)
})

test('keeps to the versions that package.json asks for', () => {
  const { engines } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))

  expect(engines.node).toBe('^24.15 || >=26')
})

test.for(['vplane.js', 'kubectl-vplane.js', 'kubectl_complete-vplane.js'])(
  'writes %s in syntax that an old Node reads',
  (name) => {
    const code = readFileSync(join(BIN, name), 'utf8').replaceAll(/\/\/.*|'[^']*'/g, '')

    expect(code).not.toMatch(/=>|`|\?\.|\?\?|\b(const|let|class|async|await|export)\b|^import /m)
  },
)

test('knows under which name kubectl started it', () => {
  using home = installed()
  const link = join(home.root, 'kubectl-vplane')
  symlinkSync(join(home.root, 'bin/kubectl-vplane.js'), link)

  expect(runAs('24.15.0', link, ['list']).stdout).toBe(`["list"] ${link}\n`)
})

test('completes for kubectl', () => {
  using home = installed()

  const { stdout } = runAs('24.15.0', join(home.root, 'bin/kubectl_complete-vplane.js'), [
    'con',
    '',
  ])

  expect(stdout).toContain('["__complete","--","con",""]')
})
