import { createSnapshots } from '../../../src/compose/snapshots.ts'
import { temporaryFolder } from '../machine/temporary-folder.ts'

const warn = (text: string) => {
  throw new Error(text)
}

/** Snapshots in a folder that goes with the test. */
export async function temporarySnapshots() {
  const folder = await temporaryFolder()
  return {
    folder: folder.path,
    snapshots: createSnapshots({ data: folder.path, environment: {}, warn }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
