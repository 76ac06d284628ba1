import { join } from 'node:path'
import { packageRoot } from '../../../src/shared/package-root.ts'

const PROGRAM = join(packageRoot(), 'test/support/programs/unshared-keeper.ts')

/** The words after `node` for a keeper of a folder that does not share ports, and runs until it is stopped. */
export function unsharedKeeperArgs(root: string): string[] {
  return [PROGRAM, '--resident', root]
}
