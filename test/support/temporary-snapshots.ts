import { createSnapshots } from '../../src/compose/snapshots.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Snapshots in a folder that goes with the test. */
export async function temporarySnapshots() {
  const folder = await temporaryFolder()
  return {
    folder: folder.path,
    snapshots: createSnapshots({ data: folder.path, environment: {} }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
