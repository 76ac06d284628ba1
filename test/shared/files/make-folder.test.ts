import { spawnSync } from 'node:child_process'
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { makeFolder } from '../../../src/shared/files/make-folder.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const MODULE = join(packageRoot(), 'src/shared/files/make-folder.ts')
/** A program of Linux, not of a package. */
const UNSHARE = 'unshare'
const MOUNT = ['--map-root-user', '--mount', 'sh', '-c']

// In its own mount namespace a process can mount what no other process sees; not every machine allows that.
const canMount =
  process.platform === 'linux' &&
  spawnSync(UNSHARE, [...MOUNT, 'mount -t tmpfs none /mnt']).status === 0

let folder: string

beforeEach(async () => {
  const temporary = await temporaryFolder()
  folder = temporary.path
  return temporary[Symbol.asyncDispose]
})

test('creates a folder and its parents for their owner alone', () => {
  makeFolder(join(folder, 'one/two'))

  expect(modeOf(join(folder, 'one'))).toBe(0o700)
  expect(modeOf(join(folder, 'one/two'))).toBe(0o700)
})

test('keeps an existing folder as it is', () => {
  chmodSync(folder, 0o755)

  makeFolder(folder)

  expect(modeOf(folder)).toBe(0o755)
})

test('reports that a file has the path of the folder', () => {
  writeFileSync(join(folder, 'one'), '')

  for (const path of ['one', 'one/two', 'one/two/three']) {
    expect(() => makeFolder(join(folder, path))).toThrow(
      `cannot write to "${join(folder, 'one')}": it is not a folder`,
    )
  }
})

test.runIf(process.getuid?.() !== 0)('names the folder that may not be written', () => {
  chmodSync(folder, 0o500)

  const error = thrownBy(() => makeFolder(join(folder, 'one/two')))

  expect(error.message).toBe(`cannot write to "${folder}": permission denied`)
  expect(error.hints).toEqual([`ls -ld ${folder}`, expect.stringContaining('VPLANE_HOME=')])
})

test.skipIf(process.platform !== 'linux')('says so where nothing can be created', () => {
  expect(() => makeFolder('/proc/vplane/home')).toThrow(
    'cannot write to "/proc": it takes no new folders',
  )
})

test.skipIf(!canMount).for(['one', 'one/two'])(
  'reports for "%s" that the file system is read-only',
  (path) => {
    const script = `const { makeFolder } = await import(${JSON.stringify(MODULE)}); makeFolder(process.argv[1])`
    const readOnly = `mount -t tmpfs -o ro none "$0" && exec "$1" --input-type=module --eval "$2" "$0/${path}"`

    const args = [...MOUNT, readOnly, folder, process.execPath, script]
    const { status, stderr } = spawnSync(UNSHARE, args, { encoding: 'utf8' })

    expect(status).toBe(1)
    expect(stderr).toContain(`cannot write to "${folder}": the file system is read-only`)
  },
)

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}
