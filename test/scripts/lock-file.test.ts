import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/shared/package-root.ts'

interface LockedPackage {
  version?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const LOCKED: Record<string, LockedPackage> = JSON.parse(
  readFileSync(join(packageRoot(), 'package-lock.json'), 'utf8'),
).packages

// npm leaves out what the registry in use does not have, such as binaries for another platform, and `npm ci` then
// refuses the file on a machine that starts without node_modules.
test('the lock file has everything that a package in it may need, for every platform', () => {
  const missing = Object.entries(LOCKED).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(path, name))
      .map((name) => `${path}: ${name}`),
  )

  expect(missing).toEqual([])
})

test('the lock file names no registry', () => {
  expect(JSON.stringify(LOCKED)).not.toMatch(/"resolved":"https?:/)
})

/** Whether Node would find a package from another one: beside it, or in a folder above. */
function isLocked(path: string, name: string): boolean {
  for (
    let folder = path;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  ) {
    if (LOCKED[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) {
      return true
    }
    if (folder === '') {
      return false
    }
  }
}
