import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrorCode, VplaneError } from '../../shared/errors.ts'
import { packageRoot } from '../../shared/package-root.ts'

/** Programs of ours that run in pods. */
export type HostedProgram = 'keeper' | 'syncer'

/**
 * A program that runs in pods, compressed with gzip, in base64.
 *
 * @throws {VplaneError} `FAILED` when it was not built.
 */
export function readProgram(program: HostedProgram): string {
  try {
    return readFileSync(join(packageRoot(), 'dist', `${program}.mjs.gz`), 'base64')
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      throw new VplaneError('FAILED', `the ${program} of this checkout was not built`, {
        hints: ['npm run build'],
        cause: error,
      })
    }
    throw error
  }
}
