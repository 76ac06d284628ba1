import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../src/shared/package-root.ts'
import { packPackage } from './package/pack-package.ts'

// Looks at the package as npm would publish it: publint for what package.json says, attw for the library's types.
const folder = mkdtempSync(join(tmpdir(), 'vplane-package-'))
try {
  const { path } = packPackage(packageRoot(), folder)
  const checks = [
    ['publint', 'run', path, '--strict'],
    ['attw', path, '--profile', 'esm-only', '--no-summary', '--no-emoji'],
  ]
  const failed = checks.filter(([command = '', ...args]) => {
    return spawnSync(command, args, { stdio: 'inherit' }).status !== 0
  })
  process.exitCode = failed.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
