import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/shared/package-root.ts'

const INSTALLED = ['bin', 'dist', 'schemas', 'templates', 'package.json', 'oclif.manifest.json']

/** Copies vplane, as it was built, to a folder that a test may change. */
export function installCopy(folder: string): void {
  INSTALLED.forEach((name) => {
    cpSync(join(packageRoot(), name), join(folder, name), { recursive: true })
  })
}
